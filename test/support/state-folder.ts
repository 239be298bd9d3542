import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterEach, beforeEach, expect } from "vitest";
import { freePorts } from "../../stack/roles/ports";
import { isBusy, npmStart } from "./npm-start";

type Ports = { API_PORT: string; PONDER_PORT: string; ANVIL_PORT: string };

/** A state folder and free ports for each test, in which it runs `npm start` once or several times in a row. */
export function useStateFolder() {
  let stateFolder = "";
  let ports: Ports = { API_PORT: "", PONDER_PORT: "", ANVIL_PORT: "" };
  let running: ReturnType<typeof npmStart> | undefined;

  beforeEach(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), "intentry-start-"));
    // The PostgreSQL user can enter this folder, so the data stays in it and is removed with it.
    await chmod(stateFolder, 0o755);
    const [api = 0, ponder = 0, anvil = 0] = await freePorts(3);
    ports = { API_PORT: String(api), PONDER_PORT: String(ponder), ANVIL_PORT: String(anvil) };
  });
  afterEach(async () => {
    await running?.stop();
    await rm(stateFolder, { recursive: true, force: true });
  });

  return {
    stateFolder: () => stateFolder,
    ports: () => ports,
    start(env: NodeJS.ProcessEnv = {}, options?: Parameters<typeof npmStart>[1]) {
      running = npmStart({ INTENTRY_DIR: stateFolder, ...ports, ...env }, options);
      return running;
    },
    /** Fails if a process, a port or a lock of the last run is left. */
    async expectNothingLeft() {
      for (const port of Object.values(ports)) expect(await isBusy(port)).toBe(false);
      expect(existsSync(join(stateFolder, "postgres", "postmaster.pid"))).toBe(false);
      expect(await readdir(join(stateFolder, "processes"))).toEqual([]);
    },
    /** Queries the embedded database, whose port and password are in its folder. */
    async query(statement: string) {
      const data = join(stateFolder, "postgres");
      const port = (await readFile(join(data, "postmaster.pid"), "utf8")).split("\n")[3];
      const password = await readFile(join(data, "intentry.password"), "utf8");
      const client = new pg.Client({ connectionString: `postgres://intentry:${password}@127.0.0.1:${port}/intentry` });
      await client.connect();
      try {
        return (await client.query(statement)).rows;
      } finally {
        await client.end();
      }
    },
  };
}
