// Ends the processes of a stack whose supervisor was killed (kill -9) before it could stop them.
// The supervisor writes a line to stdin for each process: `+<pid> <signal>` when it starts and `-<pid>` when it ends. End
// of file means that the supervisor has died. Plain JavaScript, so that it starts quickly.
import { createInterface } from "node:readline";

const GRACE_MS = 4_000;

/** @type {Map<number, NodeJS.Signals>} */
const running = new Map();

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
    const [, sign, pid, signal] = /^([+-])(\d+) ?(\w*)$/.exec(line) ?? [];
    if (sign === "+") running.set(Number(pid), /** @type {NodeJS.Signals} */ (signal));
    else if (sign === "-") running.delete(Number(pid));
  })
  .on("close", () => {
    for (const [pid, signal] of running) send(pid, signal);
    const deadline = Date.now() + GRACE_MS;
    const check = () => {
      const alive = [...running.keys()].filter((pid) => send(pid, 0));
      if (alive.length === 0) process.exit(0);
      if (Date.now() < deadline) return setTimeout(check, 50);
      for (const pid of alive) send(pid, "SIGKILL");
      process.exit(0);
    };
    check();
  });
