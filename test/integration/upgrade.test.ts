import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { keccak256, stringToBytes } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/chain";
import { hashOf } from "../../stack/sample/people";
import { copyProject, type ProjectCopy } from "../support/project-copy";
import { DATABASE_SCHEMA, type Index, indexOf } from "./index-of";
import { type RpcProxy, startRpcProxy } from "./rpc-proxy";
import { type Stack, startStack } from "./stack";

const BUILD = new RegExp(`^${DATABASE_SCHEMA}_[0-9a-f]{12}$`);
/** A build of another deployment, such as one of another chain, in the same database. */
const FOREIGN = `${DATABASE_SCHEMA}_ffffffffffff`;
const DOCUMENT = '"kept across upgrades"';

describe("an upgrade on an existing database", () => {
  let stack: Stack;
  let proxy: RpcProxy;
  let index: Index;
  const copies: ProjectCopy[] = [];

  beforeAll(async () => {
    stack = await startStack({ index: false });
    proxy = await startRpcProxy(stack.chain.rpcUrl);
    index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, { DATABASE_URL: stack.databaseUrl });
    await register("first");
    await index.startIndexer();
    await query(`CREATE SCHEMA ${FOREIGN}`);
    const response = await fetch(`${index.apiUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: DOCUMENT }),
    });
    expect(response.status).toBe(201);
  });
  afterEach(() => proxy.decide(() => "pass"));
  afterAll(async () => {
    await index?.removeIndex();
    await proxy?.close();
    await stack?.stop();
    for (const copy of copies) await copy.remove();
  });

  const register = (name: string) =>
    stack.write(actor(1), "AgentRegistry", "registerAgent", [`ipfs://${name}`, "0x01", hashOf(name)]);

  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const builds = async () => {
    const rows = await query("SELECT nspname FROM pg_namespace ORDER BY 1");
    return rows.map(({ nspname }) => String(nspname)).filter((name) => BUILD.test(name) && name !== FOREIGN);
  };
  const status = async (path: string) => (await fetch(index.apiUrl + path).catch(() => undefined))?.status;

  /** A copy of the project with one edited file. */
  async function versionWith(file: string, edit: (text: string) => string): Promise<string> {
    const copy = await copyProject();
    copies.push(copy);
    const path = join(copy.root, file);
    const text = await readFile(path, "utf8");
    const edited = edit(text);
    expect(edited).not.toBe(text);
    await writeFile(path, edited);
    return copy.root;
  }

  const expectStoreUntouched = async () =>
    expect(await status(`/catalogs/${keccak256(stringToBytes(DOCUMENT))}`)).toBe(200);

  it("serves the old build until the new one has caught up, then drops it", async () => {
    const [old] = await builds();
    await index.stopIndexer();
    const root = await versionWith(join("src", "agents.ts"), (text) => `${text}\n// another version\n`);
    proxy.decide(({ method }) => (method === "eth_getLogs" ? "wait" : "pass"));
    const started = index.startIndexer({}, { root });
    await expect.poll(() => status("/agents/1"), { timeout: 60_000 }).toBe(200);
    await expect.poll(async () => (await builds()).length, { timeout: 60_000 }).toBe(2);
    const seen = new Set<number | undefined>();
    let watching = true;
    const watch = (async () => {
      while (watching) seen.add(await status("/agents/1"));
    })();
    await expect.poll(() => index.log(), { timeout: 60_000 }).toContain("Started live indexing");
    expect(await builds()).toContain(old);
    proxy.decide(() => "pass");
    await started;
    await expect.poll(builds, { timeout: 60_000 }).not.toContain(old);
    watching = false;
    await watch;
    expect([...seen]).toEqual([200]);
    expect(await builds()).toHaveLength(1);
    await expectStoreUntouched();
  });

  it("starts with a changed schema, which the old build can't serve", async () => {
    const [old] = await builds();
    await index.stopIndexer();
    await register("second");
    const root = await versionWith("ponder.schema.ts", (text) =>
      text.replace("agentId: t.bigint().primaryKey(),", "agentId: t.bigint().primaryKey(),\n    note: t.text(),"),
    );
    await index.startIndexer({}, { root });
    expect(await status("/agents/2")).toBe(200);
    await expect.poll(builds, { timeout: 60_000 }).not.toContain(old);
    const columns = await query("SELECT table_schema FROM information_schema.columns WHERE column_name = 'note'");
    expect(columns.map(({ table_schema }) => table_schema)).toContain((await builds())[0]);
    await expectStoreUntouched();
  });

  it("takes over the index of an old version that used one schema for all builds", async () => {
    const [old = ""] = await builds();
    await index.stopIndexer();
    await query(`DROP SCHEMA ${DATABASE_SCHEMA} CASCADE`);
    await query(`ALTER SCHEMA ${old} RENAME TO ${DATABASE_SCHEMA}`);
    await index.startIndexer();
    expect(await status("/agents/2")).toBe(200);
    await expect.poll(async () => (await builds()).length, { timeout: 60_000 }).toBe(1);
    expect(await query(`SELECT agent_id FROM ${DATABASE_SCHEMA}.agent ORDER BY 1`)).toHaveLength(2);
    await expectStoreUntouched();
    expect(await query(`SELECT FROM pg_namespace WHERE nspname = '${FOREIGN}'`)).toHaveLength(1);
  });
});
