import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildSchema, sameDeploymentPattern } from "../../config/index-build";
import { baseSepolia, LOCAL_CHAIN_ID } from "../../config/networks";
import { clearLocalIndex } from "../../stack/fresh-index";
import { databaseReady } from "../../stack/index-builds";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { copyProject } from "../support/project-copy";

describe("the schema of a build", () => {
  const { chainId, startBlock, contracts } = baseSepolia;
  const deployment = { chainId, startBlock, contracts };

  it("depends on handlers, tables, ABIs and configuration, but not on the gateway", async () => {
    const copy = await copyProject();
    const schemas = [await buildSchema("name", deployment, copy.root)];
    for (const file of ["src/agents.ts", "ponder.schema.ts", "abis/AgentRegistry.ts", "ponder.config.ts"]) {
      await appendFile(join(copy.root, file), "\n// edited\n");
      schemas.push(await buildSchema("name", deployment, copy.root));
    }
    expect(new Set(schemas).size).toBe(5);
    await appendFile(join(copy.root, "api", "gateway.ts"), "\n// edited\n");
    await appendFile(join(copy.root, "src", "api", "index.ts"), "\n// edited\n");
    expect(await buildSchema("name", deployment, copy.root)).toBe(schemas.at(-1));
    const pattern = new RegExp(sameDeploymentPattern(schemas[0] ?? ""));
    for (const schema of schemas) expect(schema).toMatch(pattern);
    await copy.remove();
  });

  it("shows whether two builds have the same chain and contracts", async () => {
    const pattern = new RegExp(sameDeploymentPattern(await buildSchema("name", deployment)));
    expect(await buildSchema("name", { ...deployment, chainId: 1 })).not.toMatch(pattern);
    const moved = { ...contracts, IntentBook: contracts.AgentRegistry };
    expect(await buildSchema("name", { ...deployment, contracts: moved })).not.toMatch(pattern);
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
