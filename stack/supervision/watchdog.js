// Ends the processes of a stack whose supervisor was killed (kill -9) before it could stop them.
// The supervisor writes a line to stdin for each process: `+<pid> <signal> <next signal>` when it starts and `-<pid>` when
// it ends, and `~<path>` for each temporary folder, which is removed after them. End of file means that the supervisor has
// died. Plain JavaScript, so that it starts quickly.
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";

/** When a process gets its next signal, and when SIGKILL. PostgreSQL kills its own processes after 5 s. */
const NEXT_MS = 4_000;
const KILL_MS = 12_000;

/** The processes and their two signals. @type {Map<number, NodeJS.Signals[]>} */
const running = new Map();

/** The temporary folders. @type {Set<string>} */
const folders = new Set();

const finish = () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  process.exit(0);
};

/** @param {number} pid @param {NodeJS.Signals | 0} signal */
const send = (pid, signal) => {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false; // The process has already ended.
  }
};

// Ignores Ctrl-C, which reaches the whole process group. The watchdog must outlive the supervisor.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});

createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (line.startsWith("~")) folders.add(line.slice(1));
    const [, sign, pid, signals = ""] = /^([+-])(\d+) ?([\w ]*)$/.exec(line) ?? [];
    if (sign === "+") running.set(Number(pid), /** @type {NodeJS.Signals[]} */ (signals.split(" ")));
    else if (sign === "-") running.delete(Number(pid));
  })
  .on("close", () => {
    for (const [pid, [signal = "SIGKILL"]] of running) send(pid, signal);
    setTimeout(() => {
      for (const [pid, [, next = "SIGKILL"]] of running) send(pid, next);
    }, NEXT_MS);
    setTimeout(() => {
      for (const pid of running.keys()) send(pid, "SIGKILL");
      finish();
    }, KILL_MS);
    setInterval(() => {
      for (const pid of [...running.keys()]) if (!send(pid, 0)) running.delete(pid);
      if (running.size === 0) finish();
    }, 50);
  });
