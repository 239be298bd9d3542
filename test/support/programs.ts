import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The programs that some tests need: Debian's package, and the folders of these tests. Without one they are skipped. */
export const programs = {
  chromium: { package: "chromium", folders: ["browser"] },
  nginx: { package: "nginx", folders: ["deploy", "cluster"] },
  caddy: { package: "caddy", folders: ["deploy"] },
  openssl: { package: "openssl", folders: ["deploy"] },
  promtool: { package: "prometheus", folders: ["deploy"] },
  prometheus: { package: "prometheus", folders: ["system"] },
  "systemd-analyze": { package: "systemd", folders: ["deploy"] },
  kubectl: { package: "kubernetes-client", folders: ["deploy"] },
  pgbouncer: { package: "pgbouncer", folders: ["system"] },
  postgres: { package: "postgresql", folders: ["system", "cluster"] },
  bash: { package: "bash", folders: ["core"] },
  zsh: { package: "zsh", folders: ["core"] },
  fish: { package: "fish", folders: ["core"] },
} satisfies Record<string, { package: string; folders: string[] }>;

export type ProgramName = keyof typeof programs;

/** Debian's PostgreSQL has a folder for each version, with the server and its client programs. */
const POSTGRES = "/usr/lib/postgresql";
const postgresVersions = existsSync(POSTGRES)
  ? readdirSync(POSTGRES).sort((one, other) => Number(other) - Number(one))
  : [];

/** Folders of system programs, which are not on the PATH of every user. */
const FOLDERS = [
  ...(process.env.PATH ?? "").split(delimiter),
  ...["/usr/sbin", "/usr/local/sbin"],
  ...postgresVersions.map((version) => join(POSTGRES, version, "bin")),
];

/** The path of an installed program. */
export function findProgram(name: ProgramName): string | undefined {
  const paths = FOLDERS.filter(Boolean).map((folder) => join(folder, name));
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** Runs a program to its end, for at most two minutes. */
export function run(program: string, args: string[], options: { cwd?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: "utf8", timeout: 120_000, ...options });
  return { status, stdout, output: `${stdout}${stderr}` };
}

export type RunningProgram = { output: () => string; stop: () => Promise<void> };

/** Starts a program. `stop` ends it, by force after 3 s. */
export function startProgram(program: string, args: string[], env: NodeJS.ProcessEnv = process.env): RunningProgram {
  const child: ChildProcess = spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data: Buffer) => lines.push(data.toString()));
  const ended = once(child, "exit");
  return {
    output: () => lines.join(""),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 3_000);
      await ended;
      clearTimeout(timer);
    },
  };
}
