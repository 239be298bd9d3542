import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { appendFile, chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Binaries } from "../../stack/local/postgres/binaries";
import { findTools, makeCluster, query, startCluster } from "../../stack/local/postgres/cluster";
import { freePorts } from "../../stack/roles/ports";
import { removeOnExit } from "../../stack/supervision/child";
import { startReplica } from "./postgres-replica";

export type Postgres = {
  /** The URL of the server's default database, for creating others. */
  url: string;
  /** Creates an empty database and returns its URL. */
  createDatabase: (name: string) => Promise<string>;
  /** Stops the server. `immediate` aborts it as a crash does, so that the next start recovers from the write-ahead log. */
  halt: (mode: "fast" | "immediate") => Promise<void>;
  /** Starts a halted server on the same data. */
  resume: () => Promise<void>;
  /** Stops the server while `meanwhile` runs, and restarts it on the same data. */
  whileStopped: (meanwhile: () => Promise<void>) => Promise<void>;
  /** Starts a streaming replica. It stops with this server. */
  startReplica: () => Promise<Replica>;
  stop: () => Promise<void>;
};

export type Replica = {
  /** The URL of a database of the server on this replica. */
  urlOf: (databaseUrl: string) => string;
  port: number;
  /** How much of the primary's write-ahead log it has received. */
  position: () => Promise<bigint>;
  /** Makes it a primary. */
  promote: () => Promise<void>;
  halt: () => Promise<void>;
  resume: () => Promise<void>;
};

async function receivedPosition(url: string): Promise<bigint> {
  const [row] = await query(url, "SELECT pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::text AS bytes");
  return BigInt(String(row?.bytes ?? 0));
}

/** Two stacks run at a time, each with Ponder's pools of 30 connections and several gateways. Durability is not needed. */
const SETTINGS = ["fsync=off", "full_page_writes=off", "max_connections=400", "wal_keep_size=1GB"];

/** Allows replicas to connect, for {@link Postgres.startReplica}. */
const REPLICATION = "host replication all 127.0.0.1/32 scram-sha-256\n";

/** Creates an empty database with a unique name and returns its URL. */
export async function createDatabase(server: string, name: string): Promise<string> {
  const unique = `${name}_${randomBytes(6).toString("hex")}`;
  await query(server, `CREATE DATABASE "${unique}"`);
  const url = new URL(server);
  url.pathname = `/${unique}`;
  return url.href;
}

/** Drops a database and closes its connections. */
export async function dropDatabase(server: string, url: string): Promise<void> {
  await query(server, `DROP DATABASE IF EXISTS "${new URL(url).pathname.slice(1)}" WITH (FORCE)`);
}

/** The programs of an installed PostgreSQL. */
async function installedBinaries(programs: string): Promise<Binaries> {
  const postgres = join(programs, "postgres");
  const { stdout } = await promisify(execFile)(postgres, ["--version"]);
  const version = /\d+(\.\d+)+/.exec(stdout)?.[0] ?? "";
  return { initdb: join(programs, "initdb"), postgres, version: `installed-${version}` };
}

/**
 * A PostgreSQL server in a temporary folder, for tests and benchmarks. `programs` is the folder of an installed PostgreSQL;
 * default: the embedded one.
 */
export async function startPostgres(programs?: string): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "intentry-postgres-"));
  removeOnExit(folder);
  // Under root, the server runs as another user, which must be able to enter this folder.
  await chmod(folder, 0o711);
  const data = join(folder, "data");
  const embedded = await findTools(data, folder);
  const tools = programs === undefined ? embedded : { ...embedded, binaries: await installedBinaries(programs) };
  await makeCluster(tools, data, { durable: false });
  await appendFile(join(data, "pg_hba.conf"), REPLICATION);
  const [port = 0] = await freePorts(1);
  const start = () => startCluster(tools, data, { port, settings: SETTINGS });
  let cluster = await start();
  const replicas: (() => Promise<void>)[] = [];
  const url = cluster.url("postgres");
  const halt: Postgres["halt"] = (mode) => cluster.child.stop(mode === "fast" ? "SIGINT" : "SIGQUIT");
  const resume = async () => {
    cluster = await start();
  };
  return {
    url,
    createDatabase: (name) => createDatabase(url, name),
    halt,
    resume,
    async whileStopped(meanwhile) {
      await halt("fast");
      try {
        await meanwhile();
      } finally {
        await resume();
      }
    },
    async startReplica() {
      const name = `replica${replicas.length}`;
      const own = join(folder, name);
      let { child, port: ownPort } = await startReplica(tools, { data, url }, { name, data: own }, SETTINGS);
      const halt = () => child.stop();
      replicas.push(halt);
      const ownUrl = url.replace(`:${port}/`, `:${ownPort}/`);
      return {
        port: ownPort,
        position: () => receivedPosition(ownUrl),
        promote: async () => void (await query(ownUrl, "SELECT pg_promote()")),
        urlOf: (databaseUrl) => databaseUrl.replace(`:${port}/`, `:${ownPort}/`),
        halt,
        async resume() {
          ({ child } = await startCluster(tools, own, { port: ownPort, settings: SETTINGS }));
        },
      };
    },
    async stop() {
      for (const haltReplica of replicas) await haltReplica();
      await cluster.child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
