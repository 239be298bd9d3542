import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_CHAIN_ID, type LocalDeployment, localDeploymentFile } from "../../config/networks";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { freePorts } from "../../stack/roles/ports";
import { startIndexer } from "../../stack/supervision/indexer";
import { differences } from "../support/agreement";
import { type Stack, startStack } from "../support/stack";
import { expectPublished, publishUntilGone } from "./faults/publishing";

const agent = actor(1);

describe("a restart", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  /** Some events, and enough blocks for Ponder to finalize part of them. */
  const act = async (name: string) => {
    await stack.write(agent, "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
    await stack.write(agent, "AttestationRegistry", "submitAttestation", [
      hashOf("schema"),
      hashOf(name),
      hashOf("data"),
    ]);
    await stack.client.mine({ blocks: 12 });
  };

  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    return client.query(text).finally(() => client.end());
  };
  /** The number of reads that wait for a lock. */
  const waiting = async () =>
    Number((await query("SELECT count(*) AS count FROM pg_locks WHERE NOT granted")).rows[0]?.count);

  it("resumes after SIGTERM without duplicates or gaps, and leaves no lock", async () => {
    for (const name of ["one", "two", "three"]) await act(name);
    const before = await stack.allRows();
    expect(before.agent).toHaveLength(3);
    expect(await stack.stopIndexer()).toBe(0);
    await stack.startIndexer();
    expect(stack.log()).not.toContain("Schema is locked");
    expect(await stack.allRows()).toEqual(before);

    await stack.stopIndexer();
    await act("while it was away");
    await stack.startIndexer();
    expect(await stack.rows("agent")).toHaveLength(4);
    expect(await stack.rows("total")).toMatchObject([{ subject: "attestations_by_attester", count: 4 }]);
    expect(await differences(stack)).toEqual([]);
  });

  it("resumes after kill -9, with every acknowledged document", async () => {
    await act("before the kill");
    await stack.indexed();
    const published: string[] = [];
    const writing = ["one", "two", "three", "four"].map((writer) =>
      publishUntilGone(stack.apiUrl, writer, (text) => published.push(text)),
    );
    await expect.poll(() => published.length, { interval: 5 }).toBeGreaterThan(20);
    await stack.stopIndexer("SIGKILL");
    await Promise.all(writing);
    await act("after the kill");
    await stack.startIndexer();
    await expectPublished(stack.apiUrl, published);
    expect(await stack.rows("agent")).toHaveLength(6);
    expect(await differences(stack)).toEqual([]);
  });

  it("locks the tables of the index while clients read them, without a deadlock or a failed read", async () => {
    const { rows: builds } = await query("SELECT schemaname AS name FROM pg_tables WHERE tablename = 'event_log'");
    const schema = pg.escapeIdentifier(builds[0]?.name);
    const statuses = new Set<number>();
    let isReading = true;
    // Each limit is another response, so that none is cached.
    const reading = ["/intents?limit=", "/merchants?limit=", "/ready"].map(async (path) => {
      for (let number = 1; isReading; number++) {
        const limit = path.endsWith("=") ? 1 + (number % 100) : "";
        statuses.add((await fetch(`${stack.apiUrl}${path}${limit}`)).status);
      }
    });
    // Ponder locks them in the first order. Reads of several tables use them in either order.
    const tables = ["event_log", "fill_proof", "fill", "intent", "_ponder_checkpoint"];
    for (const order of [tables, [...tables].reverse()]) {
      const locking = new pg.Client({ connectionString: stack.databaseUrl });
      await locking.connect();
      await locking.query("BEGIN");
      for (const table of order) {
        await locking.query(`LOCK TABLE ${schema}.${table} IN ACCESS EXCLUSIVE MODE`);
        await expect.poll(waiting).toBeGreaterThan(0);
      }
      await locking.query("COMMIT");
      await locking.end();
    }
    isReading = false;
    await Promise.all(reading);
    statuses.delete(404); // The chain has no merchant.
    expect([...statuses]).toEqual([200]);
  });

  it.each([1, 2])("fails on a busy port instead of using the next one, with %i busy ports in a row", async (count) => {
    const folder = await mkdtemp(join(tmpdir(), "intentry-test-"));
    const [port = 0] = await freePorts(1);
    const others = Array.from({ length: count }, (_, index) => createServer().listen(port + index, "127.0.0.1"));
    // The second port may already be in use.
    await Promise.all(others.map((other) => Promise.race([once(other, "listening"), once(other, "error")])));
    const { rpcUrl } = stack.chain;
    const { contracts, apiUrl, ponderUrl, databaseUrl } = stack;
    const deployment: LocalDeployment = { rpcUrl, chainId: LOCAL_CHAIN_ID, apiUrl, ponderUrl, contracts };
    await writeFile(localDeploymentFile(folder), JSON.stringify(deployment));
    const lines: string[] = [];
    const indexer = startIndexer({
      ponderPort: port,
      schema: `busy_port_${count}`,
      env: { ...process.env, DATABASE_URL: databaseUrl, INTENTRY_DIR: folder },
      onLine: (line) => lines.push(line),
    });
    await indexer.ended;
    expect(lines).toContainEqual(expect.stringContaining(`Port ${port} is in use`));
    for (const other of others) other.close();
    await rm(folder, { recursive: true });
  });
});
