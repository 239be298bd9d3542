import { keccak256 } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore } from "../../../api/offchain/open";
import { document } from "../../../api/offchain/tables";
import { freePorts } from "../../../stack/roles/ports";
import { type Child, startChild, waitFor } from "../../../stack/supervision/child";
import { bundle } from "../../support/bundle";
import { createTestDatabase, type TestDatabase } from "../../support/database";
import { expectPublished, publishUntilGone } from "./publishing";

const KILLS = 20;
const WRITERS = 4;
/** The number of acknowledged writes before the process is killed. It varies, to kill at different moments. */
const writesBefore = (kill: number) => 1 + ((kill * 7) % 23);

let server: string;
beforeAll(async () => {
  server = await bundle("test/system/faults/document-server.ts");
});

describe(`${KILLS} kills during writes`, () => {
  let database: TestDatabase;
  let env: NodeJS.ProcessEnv;
  let url: string;
  const acknowledged: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase("kills");
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    env = { PATH: process.env.PATH, API_PORT: String(port), DATABASE_URL: database.url };
  }, 60_000);
  afterAll(() => database?.drop());

  const startServer = async (): Promise<Child> => {
    const child = startChild({
      name: "document server",
      command: process.execPath,
      args: [server],
      env,
    });
    await waitFor(
      child,
      "response",
      async () => (await fetch(`${url}/catalogs/0x${"00".repeat(32)}`)).status === 404 || undefined,
    );
    return child;
  };

  it("lose no acknowledged write, leave no partial write, and the store opens without repair", {
    timeout: 600_000,
  }, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const running = await startServer();
      let left = writesBefore(kill);
      let killed: Promise<unknown> | undefined;
      const onAcknowledged = (text: string) => {
        acknowledged.push(text);
        if (--left === 0) killed = running.stop("SIGKILL");
      };
      const writers = Array.from({ length: WRITERS }, (_, writer) => `kill ${kill}, writer ${writer}`);
      await Promise.all(writers.map((writer) => publishUntilGone(url, writer, onAcknowledged)));
      await killed;
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(KILLS);

    const last = await startServer();
    await expectPublished(url, acknowledged);
    await last.stop();

    const store = await openStore({ databaseUrl: database.url, onIdleError: () => {} });
    const rows = await store.db.select().from(document);
    await store.close();
    expect(rows.length).toBeGreaterThanOrEqual(acknowledged.length);
    for (const { hash, bytes, sizeBytes } of rows) {
      expect([keccak256(bytes), bytes.length]).toEqual([hash, sizeBytes]);
      expect(() => JSON.parse(Buffer.from(bytes).toString())).not.toThrow();
    }
  });
});
