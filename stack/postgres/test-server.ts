import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../ports";
import { findTools, makeCluster, query, startCluster } from "./cluster";

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
  stop: () => Promise<void>;
};

/** Two stacks run at a time, each with Ponder's pools of 30 connections and several gateways. Durability is not needed. */
const SETTINGS = ["fsync=off", "full_page_writes=off", "max_connections=400"];

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

/** A PostgreSQL server in a temporary folder, for tests and benchmarks. */
export async function startPostgres(): Promise<Postgres> {
  const folder = await mkdtemp(join(tmpdir(), "intentry-postgres-"));
  // Under root, the server runs as another user, which must be able to enter this folder.
  await chmod(folder, 0o711);
  const data = join(folder, "data");
  const tools = await findTools(data, folder);
  await makeCluster(tools, data, { durable: false });
  const [port = 0] = await freePorts(1);
  const start = () => startCluster(tools, data, { port, settings: SETTINGS });
  let cluster = await start();
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
    async stop() {
      await cluster.child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
