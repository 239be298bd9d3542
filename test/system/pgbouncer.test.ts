import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressVariable, contractNames } from "../../config/contracts";
import { actor } from "../../stack/local/chain";
import { payingFetch } from "../../stack/local/paying-fetch";
import { demoPayer, hashOf } from "../../stack/local/sample/people";
import { publishExamples } from "../../stack/local/sample/published";
import { keepsParameters } from "../../stack/roles/pool-mode";
import { freePorts } from "../../stack/roles/ports";
import { followSettings, publishOwnSettings } from "../../stack/roles/settings";
import { type Child, startChild, waitFor } from "../../stack/supervision/child";
import { gatewayProgram } from "../support/bundle";
import { FollowingClient } from "../support/event-client";
import { npmStart } from "../support/npm-start";
import { compareServers } from "../support/same-answers/compare";
import { type Stack, startStack } from "../support/stack";
import { pgbouncer, startPgBouncer } from "./pgbouncer";
import { OWN_ADVISORY_LOCKS } from "./postgres-messages";

describe.skipIf(!pgbouncer)("a gateway behind PgBouncer in transaction mode", () => {
  let stack: Stack;
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>;
  let gateway: Child;
  let url: string;
  const lines: string[] = [];

  beforeAll(async () => {
    stack = await startStack({ sample: true, tokens: true });
    await publishExamples(stack.apiUrl, undefined);
    pooler = await startPgBouncer(pgbouncer ?? "", stack.databaseUrl);
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    gateway = startChild({
      name: "gateway",
      command: process.execPath,
      args: [await gatewayProgram()],
      env: { ...stack.env, API_PORT: String(port), DATABASE_URL: pooler.url, DATABASE_POOL_MODE: "transaction" },
      onLine: (line) => lines.push(line),
    });
    await waitFor(gateway, "ready", async () => (await fetch(`${url}/ready`)).status === 200 || undefined);
  });
  afterAll(async () => {
    await gateway?.stop();
    await pooler?.stop();
    await stack?.stop();
  });

  const query = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    try {
      return (await client.query(text, values)).rows;
    } finally {
      await client.end();
    }
  };

  it("gives the same answers as one with connections of its own, on every route", async () => {
    const { differences, compared } = await compareServers(stack.apiUrl, url);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(500);
    expect(lines.filter((line) => line.includes("failed request"))).toEqual([]);
  });

  it("shares few connections of PostgreSQL among many", async () => {
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, offset) => fetch(`${url}/intents?limit=2&offset=${offset}&total=true`)),
    );
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
    expect(lines.filter((line) => line.includes("failed request"))).toEqual([]);
  });

  it("writes documents and metadata, which both gateways read at once", async () => {
    const write = (path: string, body: object) =>
      fetch(url + path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const published = await write("/catalogs", { catalog_json: '{"pooled":true}' });
    expect(published.status).toBe(201);
    const { uri } = (await published.json()) as { uri: string };
    const intentHash = hashOf("pooled");
    const owner = actor(1).address.toLowerCase();
    const reserve = { intent_hash: intentHash, owner, execution_data: "0xa9059cbb" };
    // Writes of one key run one at a time, under an advisory lock of the transaction.
    const reserved = await Promise.all(Array.from({ length: 5 }, () => write("/intents/metadata", reserve)));
    expect(reserved.map(({ status }) => status)).toEqual(Array(5).fill(201));
    for (const base of [url, stack.apiUrl]) {
      expect(await (await fetch(base + new URL(uri).pathname)).json()).toEqual({ pooled: true });
      expect((await fetch(`${base}/intents/metadata/${intentHash}`)).status).toBe(200);
    }
    expect(await query(OWN_ADVISORY_LOCKS)).toEqual([]);
  });

  it("sells a portfolio, and streams new events", async () => {
    const client = new FollowingClient(`${url}/events`);
    await client.connect();
    const portfolio = `/portfolio?address=${demoPayer.address}&chains=local`;
    const response = await payingFetch(demoPayer, stack.contracts.TestDollar)(url + portfolio);
    expect(response.status).toBe(200);
    expect(await query("SELECT state FROM offchain.payment")).toEqual([{ state: "SETTLED" }]);
    await stack.write(actor(1), "AgentRegistry", "registerAgent", ["pooled", "0x01", hashOf("pooled")]);
    await expect.poll(() => client.held.length).toBe(1);
    expect(client.problems).toEqual([]);
    client.cut();
  });

  it("tells the indexer which build it reads, until it stops", async () => {
    const readers = () => query("SELECT build FROM offchain.index_reader");
    await expect.poll(readers).toHaveLength(1);
    const [{ build }] = (await readers()) as [{ build: string }];
    expect(build).toMatch(/^intentry_test_/);
    await gateway.stop();
    expect(await readers()).toEqual([]);
  });

  it("finds the settings that an indexer has published", async () => {
    await publishOwnSettings(stack.databaseUrl, "pooled", { CHAIN_ID: "84533" });
    const env = { DATABASE_URL: pooler.url, DATABASE_SCHEMA: "pooled" };
    expect(await followSettings(env, "transaction").first(() => {})).toMatchObject({ CHAIN_ID: "84533" });
  });

  it("does not start without DATABASE_POOL_MODE, and an indexer does not start at all", async () => {
    expect(await keepsParameters(pooler.url)).toBe(false);
    const INTENTRY_DIR = `${stack.env.INTENTRY_DIR}/pooled`;
    const [ponderPort = 0] = await freePorts(1);
    const settings = {
      CHAIN_ID: "84533",
      RPC_URL: stack.chain.rpcUrl,
      START_BLOCK: "0",
      PONDER_PORT: String(ponderPort),
      PUBLIC_BASE_URL: "https://api.example",
      ...Object.fromEntries(contractNames.map((name) => [addressVariable(name), stack.contracts[name]])),
    };
    const api = npmStart({ INTENTRY_DIR, DATABASE_URL: pooler.url }, { script: "api" });
    expect(await api.ended).toBe(78);
    expect(api.output()).toContain("set DATABASE_POOL_MODE=transaction");
    const indexer = npmStart({ INTENTRY_DIR, DATABASE_URL: pooler.url, ...settings }, { script: "indexer" });
    expect(await indexer.ended).toBe(78);
    expect(indexer.output()).toContain("the indexer must connect to PostgreSQL itself");
  });
});
