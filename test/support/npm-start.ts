import { execFile, spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { vi } from "vitest";

const projectRoot = resolve(import.meta.dirname, "..", "..");

/** Runs a shell command in a pseudo-terminal. The process's stdin is the keyboard. */
const onTerminal = (command: string): [string, string[]] => ["script", ["-qefc", command, "/dev/null"]];

/** Whether this machine has the program that {@link onTerminal} needs. */
export const hasTerminals = spawnSync("script", ["--version"], { encoding: "utf8" }).stdout?.includes("util-linux");

/** The command of a script in package.json. */
function scriptOf(name: "start" | "indexer" | "api" | "reindex" | "pay"): string {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8"));
  return scripts[name];
}

type StartOptions = {
  /** The script. `indexer` and `api` are the roles of `start`. */
  script?: "start" | "indexer" | "api";
  /** The checkout. Default: this one. */
  root?: string;
  /** Whether to run it in a pseudo-terminal. */
  terminal?: boolean;
  /** Whether to run it with npm itself. By default only its script runs, because npm takes seconds of CPU. */
  npm?: boolean;
  /** A command that runs first, in a mount namespace of its own. */
  mount?: string;
};

/** Whether this user may mount a file system in a namespace, which changes nothing outside of it. */
export const canMount = spawnSync("unshare", ["-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]).status === 0;

/** Runs `npm start` or one of its roles, with only this environment. */
export function npmStart(
  env: NodeJS.ProcessEnv,
  { script = "start", root = projectRoot, terminal = false, npm = false, mount }: StartOptions = {},
) {
  const { PATH, HOME } = process.env;
  const line = npm ? `exec npm run ${script}` : scriptOf(script);
  const own: [string, string[]] = mount ? ["unshare", ["-m", "sh", "-c", `${mount} && ${line}`]] : ["sh", ["-c", line]];
  const [command, args] = terminal ? onTerminal(line) : own;
  const child = spawn(command, args, { cwd: root, env: { PATH, HOME, ...env } });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk) => {
      output += chunk;
    });
  const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  return {
    /** The process id of the supervisor, or of an ancestor: npm or the terminal. */
    pid: child.pid ?? -1,
    output: () => output,
    /** Types into its terminal. */
    type: (text: string) => child.stdin.write(text),
    /** Its exit code, once it has ended. */
    ended,
    /** Stops it, and returns its exit code. */
    stop: () => {
      child.kill("SIGTERM");
      return ended;
    },
    /** Waits until it has printed the text. Rejects if it ends before. */
    printed: async (text: string) => {
      const early = ended.then(() => {
        throw new Error(`npm start ended:\n${output}`);
      });
      early.catch(() => {});
      await Promise.race([vi.waitUntil(() => output.includes(text), { timeout: 170_000, interval: 50 }), early]);
    },
  };
}

/** Runs another script of package.json to its end, and returns its output. */
export async function npmRun(script: "reindex" | "pay", env: NodeJS.ProcessEnv): Promise<string> {
  const { PATH, HOME } = process.env;
  const { stdout } = await promisify(execFile)("sh", ["-c", scriptOf(script)], {
    cwd: projectRoot,
    env: { PATH, HOME, ...env },
  });
  return stdout;
}

/** Whether something listens on the port. */
export const isBusy = (port: string) =>
  new Promise<boolean>((answer) => {
    const server = createServer();
    server.once("error", () => answer(true));
    server.listen(Number(port), "127.0.0.1", () => server.close(() => answer(false)));
  });

type Lists = Record<string, { items: Record<string, string>[] }>;

export async function graphql(ponderPort: string, query: string): Promise<Lists> {
  const response = await fetch(`http://127.0.0.1:${ponderPort}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  return ((await response.json()) as { data: Lists }).data;
}

/** A shell example of the documentation, with the documented response if there is one. */
type Example = { command: string; answer?: unknown };

/** The README and the reference, whose examples run in this order. */
export const documentation = async () =>
  (await Promise.all(["README.md", "docs/api.md"].map((file) => readFile(join(projectRoot, file), "utf8")))).join("\n");

/** Example requests, in order: blocks of shell with the JSON that follows them, and commands in tables. */
export function examplesIn(text: string): Example[] {
  const pattern = /```sh\n([^`]*\bcurl [^`]*)```(?:\s*```json\n([^`]*)```)?|\| `(curl [^`]*)` \|/g;
  return [...text.matchAll(pattern)].map(([, block, answer, inTable]) => ({
    command: block ?? inTable ?? "",
    ...(answer && { answer: JSON.parse(answer) }),
  }));
}

/** Runs an example in a shell, with the ports of this test. */
export async function runExample(command: string, ports: { API_PORT: string; PONDER_PORT: string }): Promise<unknown> {
  const moved = command.replaceAll(":3001", `:${ports.API_PORT}`).replaceAll(":42069", `:${ports.PONDER_PORT}`);
  const { stdout } = await promisify(execFile)("sh", ["-c", moved]);
  return JSON.parse(stdout);
}
