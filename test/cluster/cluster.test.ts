import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalChain, startChain } from "../../stack/local/chain";
import { type Contracts, deploy } from "../../stack/local/deploy";
import { query } from "../../stack/local/postgres/cluster";
import { protocolOn } from "../../stack/local/protocol";
import { freePorts } from "../../stack/roles/ports";
import { createTestDatabase } from "../support/database";
import type { HttpProxy } from "../support/http-proxy";
import { type Postgres, type Replica, startPostgres } from "../support/postgres-server";
import { changeIndexBuild, copyProject, type ProjectCopy } from "../support/project-copy";
import { Clients } from "../support/simulation/clients";
import { History } from "../support/simulation/history";
import { fundPayers } from "../support/simulation/purchases";
import { randomSources } from "../support/simulation/random-sources";
import { verify } from "../support/simulation/run";
import { caughtUpAt, eventually, serviceEnvironment } from "../support/simulation/service";
import { startTcpProxy, type TcpProxy } from "../support/tcp-proxy";
import { startBalancer } from "./balancer";
import { Program } from "./program";
import { RetriedReads } from "./retried-reads";

const SEED = Number(process.env.TEST_SEED ?? 1);
const PORTFOLIO_CHAIN_ID = 8453;

/** Reads whose result exists from the first block on. */
const READS = ["/intents?limit=5", "/agents?limit=5", "/analytics/commerce", "/solvers", "/health"];

/**
 * A primary with two streaming replicas, one indexer and two gateways behind a load balancer. Each part is killed, replaced
 * or upgraded in turn while clients read, write, pay and follow events.
 */
describe("a cluster", () => {
  const sources = randomSources(SEED);
  const stops: (() => unknown)[] = [];
  let postgres: Postgres;
  let replicas: Replica[];
  let endpoint: TcpProxy;
  let balancer: HttpProxy;
  let chain: LocalChain;
  let portfolioChain: LocalChain;
  let contracts: Contracts;
  let history: History;
  let clients: Clients;
  let reads: RetriedReads;
  let databaseUrl: string;
  let shared: NodeJS.ProcessEnv;
  let upgraded: ProjectCopy;
  let indexer: Program;
  let apis: { program: Program; port: number }[];
  /** The replica that was promoted. */
  let primary: Replica;
  let phase = "start";

  const startApi = async (root?: string) => {
    const [port = 0] = await freePorts(1);
    const env = { DATABASE_URL: shared.DATABASE_URL, DATABASE_READ_URLS: shared.DATABASE_READ_URLS };
    const folder = { INTENTRY_DIR: shared.INTENTRY_DIR, API_PORT: String(port), LOG_LEVEL: "warn" };
    const program = new Program("api", { ...env, ...folder }, root);
    stops.push(() => program.stop());
    await eventually(`a gateway on port ${port}`, async () => (await fetch(`http://127.0.0.1:${port}/health`)).ok);
    balancer.add(port);
    return { program, port };
  };
  const startIndexer = async (root?: string) => {
    const [port = 0] = await freePorts(1);
    const folder = await mkdtemp(join(tmpdir(), "intentry-cluster-"));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const program = new Program("indexer", { ...shared, INTENTRY_DIR: folder, PONDER_PORT: String(port) }, root);
    stops.push(() => program.stop());
    return { program, isReady: async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok };
  };
  const caughtUp = async () => caughtUpAt(balancer.url, await history.measure());

  beforeAll(async () => {
    const [port = 0, portfolioPort = 0] = await freePorts(2);
    postgres = await startPostgres();
    stops.push(() => postgres.stop());
    replicas = [await postgres.startReplica(), await postgres.startReplica()];
    // A write is acknowledged once one replica has it, so that none is lost with the primary.
    await query(postgres.url, "ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (replica0, replica1)'");
    await query(postgres.url, "SELECT pg_reload_conf()");
    endpoint = await startTcpProxy(Number(new URL(postgres.url).port));
    stops.push(() => endpoint.close());
    balancer = await startBalancer();
    stops.push(() => balancer.close());
    chain = await startChain({ port });
    stops.push(() => chain.child.stop());
    portfolioChain = await startChain({ port: portfolioPort, chainId: PORTFOLIO_CHAIN_ID });
    stops.push(() => portfolioChain.child.stop());
    contracts = await deploy(chain.client);
    const protocol = protocolOn(chain.client, contracts);
    await fundPayers(protocol);
    history = await History.start(protocol, SEED);
    for (let block = 0; block < 4; block++) await history.mine(8);

    const database = await createTestDatabase("cluster", postgres.url);
    databaseUrl = database.url.replace(`:${new URL(postgres.url).port}/`, `:${endpoint.port}/`);
    const folder = await mkdtemp(join(tmpdir(), "intentry-cluster-"));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    shared = {
      ...serviceEnvironment(contracts, { rpcUrl: chain.rpcUrl, portfolioRpcUrl: portfolioChain.rpcUrl }),
      DATABASE_URL: databaseUrl,
      DATABASE_READ_URLS: replicas.map((replica) => replica.urlOf(database.url)).join(","),
      INTENTRY_DIR: folder,
    };
    upgraded = await copyProject(["stack", "contracts"]);
    stops.push(() => upgraded.remove());
    await changeIndexBuild(upgraded.root);

    indexer = (await startIndexer()).program;
    apis = [await startApi(), await startApi()];
    await caughtUp();
    clients = new Clients(balancer.url, sources.clients, history.world, protocol);
    stops.push(() => clients.streams.stop());
    await clients.purchases.open();
    clients.streams.start();
    reads = new RetriedReads(balancer.url, READS, () => phase);
  }, 600_000);
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  /** Random requests and blocks, while something happens to a part. */
  const during = async (what: string, act: () => Promise<void>) => {
    phase = what;
    let isDone = false;
    const load = (async () => {
      while (!isDone) {
        clients.act({ actions: 0, writes: 3, reads: 3, purchases: 1, cutStreams: false, reorg: false });
        await history.mine(2);
        await setTimeout(500);
      }
    })();
    try {
      await setTimeout(500);
      await act();
      await setTimeout(1_000);
    } finally {
      isDone = true;
      await load;
    }
    await caughtUp();
    phase = `after: ${what}`;
  };

  it("loses no gateway's requests when one is killed", { timeout: 300_000 }, async () => {
    await during("kill a gateway", async () => apis[0]?.program.kill());
  });

  it("continues when the indexer is killed", { timeout: 300_000 }, async () => {
    await during("kill the indexer", () => indexer.kill());
  });

  it("continues when a replica stops and returns", { timeout: 300_000 }, async () => {
    await during("stop a replica", async () => {
      await replicas[0]?.halt();
      await setTimeout(3_000);
      await replicas[0]?.resume();
    });
  });

  it("rolls to a version with another index, one program at a time", { timeout: 300_000 }, async () => {
    await during("upgrade", async () => {
      const next = await startIndexer(upgraded.root);
      await eventually("the new index", next.isReady);
      for (const old of apis) {
        const replacement = await startApi(upgraded.root);
        balancer.remove(old.port);
        await old.program.stop();
        apis = [...apis.filter((one) => one !== old), replacement];
      }
      await indexer.stop();
      indexer = next.program;
    });
  });

  it("continues on a promoted replica when the primary crashes", { timeout: 300_000 }, async () => {
    await during("promote a replica", async () => {
      await postgres.halt("immediate");
      primary = await promote(replicas);
      endpoint.moveTo(primary.port);
    });
  });

  it("has lost no write, charged no payment twice and sent every event once", { timeout: 600_000 }, async () => {
    phase = "verify";
    const service = { apiUrl: balancer.url, caughtUp: (block: bigint) => caughtUpAt(balancer.url, block) };
    const server = { ...postgres, url: primary.urlOf(postgres.url) };
    const { problems, compared } = await verify(
      { history, clients, service, databaseUrl, postgres: server },
      { chain, contracts, postgres: server, portfolioChain },
    );
    await reads.stop();
    console.log(JSON.stringify({ compared, requests: reads.requests, repeated: reads.failures, ...clients.summary() }));
    const all = [...problems, ...reads.problems];
    // Vitest shortens long texts.
    for (const problem of all) console.log(problem);
    expect(all).toEqual([]);
  });
});

/** Promotes the replica that has received most of the primary's log. Returns it. */
async function promote(replicas: readonly Replica[]): Promise<Replica> {
  const positions = await Promise.all(replicas.map((replica) => replica.position()));
  const best = replicas[positions[0] !== undefined && positions[0] >= (positions[1] ?? 0n) ? 0 : 1];
  if (!best) throw new Error("No replica answers");
  await best.promote();
  return best;
}
