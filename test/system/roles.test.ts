import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { keccak256, stringToBytes } from "viem";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addressVariable, contractNames } from "../../config/contracts";
import { actor, type LocalChain, startChain } from "../../stack/local/chain";
import { type Contracts, deploy } from "../../stack/local/deploy";
import { protocolOn } from "../../stack/local/protocol";
import { hashOf } from "../../stack/local/sample/people";
import { freePorts } from "../../stack/roles/ports";
import { FollowingClient } from "../support/event-client";
import { npmStart } from "../support/npm-start";
import { createDatabase, dropDatabase } from "../support/postgres-server";
import { startTcpProxy } from "../support/tcp-proxy";
import { startTraceCollector } from "./trace-collector";

const CHAIN_ID = 84_533;

describe("an indexer and gateways as separate programs", () => {
  let chain: LocalChain;
  let contracts: Contracts;
  let databaseUrl: string;
  let folder: string;
  let indexerSettings: Record<string, string>;
  const running: ReturnType<typeof npmStart>[] = [];

  beforeAll(async () => {
    const [port = 0, ponderPort = 0] = await freePorts(2);
    chain = await startChain({ port, chainId: CHAIN_ID });
    contracts = await deploy(chain.client);
    databaseUrl = await createDatabase(inject("databaseServer"), "roles");
    folder = await mkdtemp(join(tmpdir(), "intentry-roles-"));
    indexerSettings = {
      DATABASE_URL: databaseUrl,
      INTENTRY_DIR: folder,
      PONDER_PORT: String(ponderPort),
      CHAIN_ID: String(CHAIN_ID),
      RPC_URL: chain.rpcUrl,
      START_BLOCK: "0",
      PUBLIC_BASE_URL: "https://api.example",
      ...Object.fromEntries(contractNames.map((name) => [addressVariable(name), contracts[name]])),
    };
  });
  afterAll(async () => {
    await Promise.all(running.map((run) => run.stop()));
    await chain?.child.stop();
    if (databaseUrl) await dropDatabase(inject("databaseServer"), databaseUrl);
    if (folder) await rm(folder, { recursive: true, force: true });
  });

  const start = (script: "indexer" | "api", env: Record<string, string>) => {
    const run = npmStart(env, { script });
    running.push(run);
    return run;
  };
  /** A gateway that knows nothing but its database and its port, unless more is given. */
  const startApi = async (env: Record<string, string> = {}) => {
    const [port = 0] = await freePorts(1);
    const run = start("api", { DATABASE_URL: databaseUrl, INTENTRY_DIR: folder, API_PORT: String(port), ...env });
    return { run, url: `http://127.0.0.1:${port}` };
  };
  const register = (name: string) =>
    protocolOn(chain.client, contracts).write(actor(1), "AgentRegistry", "registerAgent", [name, "0x01", hashOf(name)]);
  const read = async (url: string) => (await fetch(url).catch(() => undefined))?.json();

  let indexer: ReturnType<typeof npmStart>;
  let apis: Awaited<ReturnType<typeof startApi>>[];

  it("share the settings: a gateway waits for those of the indexer, and needs only the database's URL", async () => {
    const early = await startApi();
    await early.run.printed("Waiting for an indexer to publish its settings");
    indexer = start("indexer", indexerSettings);
    await indexer.printed("Completed backfill indexing");
    const late = await startApi();
    apis = [early, late];
    for (const { run } of apis) await run.printed("Serving custom on");
    await register("one");
    for (const { url } of apis) {
      await expect.poll(() => read(`${url}/agents/1`), { timeout: 30_000 }).toMatchObject({ metadata_uri: "one" });
      const ready = { ready: true, chain_id: CHAIN_ID };
      await expect.poll(() => read(`${url}/ready`), { timeout: 30_000 }).toMatchObject(ready);
    }
  });

  it("serve the same: a document published at one gateway is read at another, and both stream all events", async () => {
    const [one = "", other = ""] = apis.map(({ url }) => url);
    const clients = [one, other].map((url) => new FollowingClient(`${url}/events?from_block=0`));
    for (const client of clients) await client.connect();
    const response = await fetch(`${one}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: '{"a":1}' }),
    });
    expect(response.status).toBe(201);
    const { uri } = (await response.json()) as { uri: string };
    expect(uri).toBe(`https://api.example/catalogs/${keccak256(stringToBytes('{"a":1}'))}`);
    expect(await read(uri.replace("https://api.example", other))).toEqual({ a: 1 });
    await register("two");
    for (const client of clients) await expect.poll(() => client.held.length, { timeout: 30_000 }).toBe(2);
    for (const client of clients) client.cut();
    expect(clients[0]?.held).toEqual(clients[1]?.held);
  });

  it("use new settings of the indexer without refusing a request", async () => {
    await indexer.stop();
    const [{ url, run } = { url: "", run: indexer }] = apis;
    const statuses = new Set<number | undefined>();
    let isDone = false;
    const load = (async () => {
      while (!isDone) statuses.add((await fetch(`${url}/agents/1`).catch(() => undefined))?.status);
    })();
    indexer = start("indexer", { ...indexerSettings, PUBLIC_BASE_URL: "https://new.example" });
    await run.printed("The gateway uses the settings that the indexer has published");
    isDone = true;
    await load;
    expect([...statuses]).toEqual([200]);
    expect(await (await fetch(`${url}/llms.txt`)).text()).toContain("https://new.example");
    await indexer.printed("Completed backfill indexing");
    expect(indexer.output()).not.toContain("Schema is locked");
    await register("three");
    await expect.poll(() => read(`${url}/agents/3`), { timeout: 30_000 }).toMatchObject({ metadata_uri: "three" });
  });

  it("export traces of a gateway that has a collector", async () => {
    const collector = await startTraceCollector();
    const { run, url } = await startApi({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: "api-1" });
    await run.printed("Serving custom on");
    expect(await read(`${url}/agents/1`)).toMatchObject({ metadata_uri: "one" });
    await run.stop();
    await collector.stop();
    const span = collector.spans.find(({ name }) => name === "GET /agents/{agentId}");
    expect(span?.resource).toMatchObject({ "service.name": "api-1" });
  });

  it("end on SIGTERM although their database hangs", async () => {
    const database = new URL(databaseUrl);
    const proxy = await startTcpProxy(Number(database.port));
    database.port = String(proxy.port);
    const { run, url } = await startApi({ DATABASE_URL: database.href });
    await run.printed("Serving custom on");
    expect(await read(`${url}/agents/1`)).toMatchObject({ metadata_uri: "one" });
    proxy.hang();
    const ended = run.stop();
    const limit = setTimeout(20_000, "still running", { ref: false });
    expect(await Promise.race([ended, limit])).toBe(0);
    await proxy.close();
  });

  it("log in one format: every line of the indexer and the gateways is JSON with level, time and msg", () => {
    const lines = running.flatMap((run) => run.output().trimEnd().split("\n"));
    const formats = new Set(
      lines.map((line) => {
        const { level, time, msg } = JSON.parse(line);
        return [level, time, msg].map((value) => typeof value).join(" ");
      }),
    );
    expect([...formats]).toEqual(["number number string"]);
    expect(lines.length).toBeGreaterThan(20);
  });

  it("reject settings that can't be split, with the exit code of a configuration error", async () => {
    const { DATABASE_URL: _, ...withoutDatabase } = indexerSettings;
    const cases: [ReturnType<typeof npmStart>, string][] = [
      [start("api", { INTENTRY_DIR: folder }), "DATABASE_URL: is required"],
      [start("indexer", withoutDatabase), "DATABASE_URL: is required"],
      [start("indexer", { DATABASE_URL: databaseUrl, INTENTRY_DIR: folder }), "NETWORK: is not set, or local"],
      [start("api", { DATABASE_URL: databaseUrl, API_WORKERS: "2" }), "API_WORKERS: is for npm start only"],
    ];
    for (const [run, sentence] of cases) {
      const code = await run.ended;
      expect(run.output()).toContain(sentence);
      expect(code).toBe(78);
    }
  });
});
