import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { freePorts } from "../../roles/ports";
import { type Child, startChild, waitFor } from "../../supervision/child";
import { makeFolder } from "../cache";
import { type Binaries, installBinaries } from "./binaries";
import { removeOldPostmaster, STOP_SIGNALS } from "./postmaster";
import { chownTree, copyTree } from "./tree";
import { cacheFolder, type PostgresUser, postgresUser } from "./user";

const run = promisify(execFile);

const SUPERUSER = "intentry";
export const DATABASE = "intentry";

/** In the data folder, readable by its owner only. */
export const PASSWORD_FILE = "intentry.password";

/** Every local user can connect on loopback, so a password is required. */
const HOST_AUTHENTICATION = "host all all 127.0.0.1/32 scram-sha-256\n";

/** Crash recovery of a large write-ahead log delays the first connection. */
const START_MS = 300_000;

/** The time to stop after each signal. The shutdown of a large database takes seconds. */
const GRACE_MS = 10_000;

/** One syncfs call where available: a thousand fsync calls take seconds on a busy disk. */
const SYNC = process.platform === "linux" ? ["--sync-method=syncfs"] : [];

/** Only the variables that PostgreSQL needs: this process's environment may contain secrets. */
const environment = () => {
  const { PATH, SystemRoot, TEMP } = process.env;
  return { PATH, SystemRoot, TEMP, LC_ALL: "C", TZ: "UTC" };
};

/** The programs, the user that runs them, and the cache folder. */
export type Tools = { binaries: Binaries; user: PostgresUser; cache: string };

/** Finds the programs for a data folder. The cache is in `stateFolder` if no other place is writable. */
export async function findTools(data: string, stateFolder: string): Promise<Tools> {
  const user = await postgresUser(data);
  const cache = await cacheFolder(user, stateFolder);
  return { user, cache, binaries: await installBinaries(cache, user) };
}

// Every user can enter "/", but perhaps not the current folder.
const runAs = (user: PostgresUser, program: string, args: string[]) =>
  run(program, args, { cwd: "/", env: environment(), ...user });

/** An empty cluster, cached because initdb takes a second. Only its owner can modify it. */
function makeTemplate({ binaries, user, cache }: Tools): Promise<string> {
  const owner = process.getuid?.() ?? "user";
  return makeFolder(join(cache, `postgres-${binaries.version}-template-${owner}`), async (scratch) => {
    if (user) await chownTree(scratch, user.uid, user.gid);
    await runAs(user, binaries.initdb, [
      ...["-D", scratch, "-U", SUPERUSER, "-A", "reject", "-E", "UTF8"],
      ...["--no-locale", "--no-sync", "--no-instructions"],
    ]);
    if (user) await chownTree(scratch, 0, 0);
  });
}

/** Runs statements on a stopped cluster. */
async function runSingleUser({ binaries, user }: Tools, data: string, statements: string[]): Promise<void> {
  const running = runAs(user, binaries.postgres, ["--single", "-D", data, "postgres"]);
  running.child.stdin?.end(`${statements.join("\n")}\n`);
  await running;
}

/** Creates a cluster with an empty database and a random password, unless it exists. */
export async function makeCluster(tools: Tools, data: string, { durable }: { durable: boolean }): Promise<void> {
  const { binaries, user } = tools;
  const template = await makeTemplate(tools);
  await makeFolder(data, async (scratch) => {
    await copyTree(template, scratch, { folder: 0o700, file: 0o600 });
    const password = randomBytes(24).toString("base64url");
    await writeFile(join(scratch, PASSWORD_FILE), password, { mode: 0o600 });
    await writeFile(join(scratch, "pg_hba.conf"), HOST_AUTHENTICATION);
    if (user) await chownTree(scratch, user.uid, user.gid);
    await runSingleUser(tools, scratch, [
      `ALTER ROLE ${SUPERUSER} PASSWORD '${password}'`,
      `CREATE DATABASE ${DATABASE}`,
    ]);
    if (durable) await runAs(user, binaries.initdb, ["-D", scratch, "--sync-only", ...SYNC]);
  });
}

export type Cluster = {
  /** The server's process. Its `stop` is a fast shutdown, which does not wait for clients. */
  child: Child;
  /** The URL of one of its databases. */
  url: (database: string) => string;
};

/** The URL of a database of a cluster. */
export const urlOf = (password: string, port: number, database: string) =>
  `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;

type StartOptions = {
  /** Default: a free port. */
  port?: number;
  /** Settings that override the configuration file, such as `fsync=off`. */
  settings?: string[];
};

/** Starts the server on loopback and waits until it accepts connections. */
export async function startCluster(
  { binaries, user }: Tools,
  data: string,
  { port: wanted, settings = [] }: StartOptions = {},
): Promise<Cluster> {
  await removeOldPostmaster(data);
  const password = await readFile(join(data, PASSWORD_FILE), "utf8");
  const port = wanted ?? (await freePorts(1))[0] ?? 0;
  const url = (database: string) => urlOf(password, port, database);
  const child = startChild({
    name: "postgres",
    stopSignal: STOP_SIGNALS[0],
    nextSignal: STOP_SIGNALS[1],
    graceMs: GRACE_MS,
    command: binaries.postgres,
    args: [
      ...["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", ""],
      ...settings.flatMap((setting) => ["-c", setting]),
    ],
    cwd: "/",
    env: environment(),
    ...user,
  });
  await waitFor(child, "connection", () => query(url(DATABASE), "SELECT 1").then(() => true), START_MS);
  return { child, url };
}

/** Runs one statement on a new connection. */
export async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
