import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportReader } from "../../api/offchain/index-readers";
import { openStore } from "../../api/offchain/open";
import { buildName, sameDeploymentPattern } from "../../config/index-build";
import { baseSepolia, LOCAL_CHAIN_ID } from "../../config/networks";
import { databaseReady, manageBuilds } from "../../stack/index-builds";
import { clearLocalIndex } from "../../stack/local/fresh-index";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { copyProject } from "../support/project-copy";

describe("the schema of a build", () => {
  const { chainId, startBlock, contracts } = baseSepolia;
  const deployment = { chainId, startBlock, contracts };

  it("depends on handlers, tables, ABIs, configuration and shared code for rows, but not on the gateway", async () => {
    const copy = await copyProject();
    const schemas = [await buildName("name", deployment, copy.root)];
    for (const file of [
      "src/agents.ts",
      "src/schema/agents.ts",
      "ponder.schema.ts",
      "abis/AgentRegistry.ts",
      "ponder.config.ts",
      "common/rows/event-id.ts",
    ]) {
      await appendFile(join(copy.root, file), "\n// edited\n");
      schemas.push(await buildName("name", deployment, copy.root));
    }
    expect(new Set(schemas).size).toBe(7);
    await appendFile(join(copy.root, "api", "gateway.ts"), "\n// edited\n");
    await appendFile(join(copy.root, "common", "format.ts"), "\n// edited\n");
    await appendFile(join(copy.root, "src", "api", "index.ts"), "\n// edited\n");
    expect(await buildName("name", deployment, copy.root)).toBe(schemas.at(-1));
    const pattern = new RegExp(sameDeploymentPattern(schemas[0] ?? ""));
    for (const schema of schemas) expect(schema).toMatch(pattern);
    await copy.remove();
  });

  it("shows whether two builds have the same chain and contracts", async () => {
    const pattern = new RegExp(sameDeploymentPattern(await buildName("name", deployment)));
    expect(await buildName("name", { ...deployment, chainId: 1 })).not.toMatch(pattern);
    const moved = { ...contracts, IntentBook: contracts.AgentRegistry };
    expect(await buildName("name", { ...deployment, contracts: moved })).not.toMatch(pattern);
  });

  it("differs if a contract is indexed from another block, as Ponder's build id does", async () => {
    const { startBlocks } = baseSepolia;
    const build = await buildName("name", deployment);
    expect(await buildName("name", { ...deployment, startBlocks: {} })).toBe(build);
    const later = await buildName("name", { ...deployment, startBlocks });
    expect(later).not.toBe(build);
    expect(later).toMatch(new RegExp(sameDeploymentPattern(build)));
  });
});

describe("an earlier build", () => {
  it("is dropped once this one has caught up, unless a gateway reads it through a pooler or on a replica", async () => {
    const database = await createTestDatabase("earlier");
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await (await openStore({ databaseUrl: database.url, onIdleError: () => {} })).close();
    const [read, unread, own] = ["111111", "222222", "333333"].map((digits) => `one_aaaaaa${digits}`);
    for (const schema of [read, unread, own]) {
      const state = JSON.stringify({ is_ready: 1, is_locked: 0, heartbeat_at: 0 });
      await client.query(`CREATE SCHEMA ${schema}`);
      await client.query(`CREATE TABLE ${schema}._ponder_meta AS SELECT 'app' AS key, '${state}'::jsonb AS value`);
      await client.query(`CREATE TABLE ${schema}._ponder_checkpoint AS SELECT 1 AS chain_id, '1' AS latest_checkpoint`);
    }
    const exists = async (schema?: string) =>
      (await client.query("SELECT FROM pg_namespace WHERE nspname = $1", [schema])).rowCount === 1;
    const reader = reportReader(
      async () => drizzle(client, { casing: "snake_case" }),
      () => read ?? "",
      (error) => {
        throw error;
      },
    );
    const errors: unknown[] = [];
    const options = { databaseUrl: database.url, build: own ?? "" };
    const builds = manageBuilds({ ...options, onError: (error) => errors.push(error) });
    await expect.poll(() => exists(unread)).toBe(false);
    expect(await exists(read)).toBe(true);
    await reader.stop();
    await expect.poll(() => exists(read)).toBe(false);
    expect(await exists(own)).toBe(true);
    await builds.stop();
    await client.end();
    await database.drop();
    expect(errors).toEqual([]);
  });
});

describe("a start on a local chain", () => {
  let database: TestDatabase;
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };
  const makeBuild = async (schema: string, chainId: number) => {
    await query(`CREATE SCHEMA ${schema}`);
    await query(`CREATE TABLE ${schema}._ponder_checkpoint AS SELECT ${chainId}::bigint AS chain_id`);
  };
  beforeAll(async () => {
    database = await createTestDatabase("builds");
  });
  afterAll(() => database?.drop());

  it("drops the builds of former local chains, and throws if a build belongs to another chain", async () => {
    await makeBuild("one_0123456789ab", LOCAL_CHAIN_ID);
    await clearLocalIndex(database.url, "one");
    expect(await query("SELECT FROM pg_namespace WHERE nspname = 'one_0123456789ab'")).toEqual([]);
    await makeBuild("one_ba9876543210", 84_532);
    await expect(clearLocalIndex(database.url, "one")).rejects.toThrow(
      "Schema one_ba9876543210 holds the index of chain 84532. Set DATABASE_SCHEMA to another name.",
    );
    expect(await query("SELECT FROM pg_namespace WHERE nspname = 'one_ba9876543210'")).toHaveLength(1);
  });

  it("reports a missing database without its URL", async () => {
    const url = new URL(database.url);
    url.pathname = "/missing";
    await expect(databaseReady(url.href, () => {})).rejects.toThrow(
      'The database of DATABASE_URL does not answer: database "missing" does not exist',
    );
  });
});
