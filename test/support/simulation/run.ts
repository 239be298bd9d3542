import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { operations } from "../../../api/operations/index";
import { withClient } from "../../../stack/index-builds";
import { type LocalChain, startChain } from "../../../stack/local/chain";
import { deploy } from "../../../stack/local/deploy";
import { protocolOn } from "../../../stack/local/protocol";
import { freePorts } from "../../../stack/roles/ports";
import { createTestDatabase } from "../database";
import type { Postgres } from "../postgres-server";
import { startRpcProxy } from "../rpc-proxy";
import { compareServers } from "../same-answers/compare";
import { Clients } from "./clients";
import { repair } from "./database-faults";
import { type Disturbed, startRpcFault, startServiceFault } from "./faults";
import { startFreshIndex } from "./fresh-index";
import { History } from "./history";
import { makePlan, type Plan, type Round } from "./plan";
import { fundPayers } from "./purchases";
import { randomSources } from "./random-sources";
import { callWrite } from "./requests";
import { eventually, Service, serviceEnvironment } from "./service";
import { Streams } from "./streams";

/** Shared by all runs: they change neither the portfolio's chain nor, after a run, the server's settings. */
export type Parts = { postgres: Postgres; portfolioChain: LocalChain };

export type Report = {
  plan: Plan;
  /** Everything that contradicts a promise. */
  problems: string[];
  /** What happened, for the log. */
  summary: Record<string, unknown>;
  /** Why the supervisor ended without a signal from the harness. */
  failures: readonly string[];
  /** The output of the disturbed service. */
  log: string;
};

/** The simulated chain's node ended by itself. It is a part of the harness, so the run says nothing about the service. */
export class ChainEnded extends Error {}

/** How long after an error to wait for the end of the chain's node. */
const ENDED_MS = 1_000;

/** A service that was disturbed, and its clients. */
type Verified = Pick<Running, "history" | "clients" | "databaseUrl" | "postgres"> & {
  service: Pick<Service, "apiUrl" | "caughtUp">;
};

type Running = Disturbed & { history: History; clients: Clients; sources: ReturnType<typeof randomSources> };

async function runRound({ settled, service: fault, from, rpc, steps, waits }: Round, running: Running): Promise<void> {
  const { history, clients, service, proxy, sources } = running;
  if (settled) await service.caughtUp(await history.measure());
  const endRpcFault = startRpcFault(rpc, proxy, sources.rpc);
  let endServiceFault = async () => {};
  try {
    for (const [number, step] of steps.entries()) {
      clients.act(step);
      if (number === from) endServiceFault = await startServiceFault(fault, running);
      await history.mine(step.actions);
      if (step.reorg) await history.reorg(sources.history);
    }
    if (waits) await clients.writes.answered();
  } finally {
    await endServiceFault();
    endRpcFault();
  }
}

/**
 * Waits until all clients have their outcomes, and compares the service with a fresh one. The payments settle meanwhile,
 * which may take until a lease has expired. Their blocks have no protocol events.
 */
export async function verify(
  { history, clients, service, databaseUrl, postgres }: Verified,
  { chain, contracts, portfolioChain }: Parts & { chain: LocalChain; contracts: Awaited<ReturnType<typeof deploy>> },
): Promise<{ problems: string[]; compared: number }> {
  await service.caughtUp(await history.measure());
  await clients.writes.done();
  const settling = clients.purchases.settle(() => history.mineEmpty());
  settling.catch(() => {});
  // The comparison publishes this document to both services. It must have the same times.
  await callWrite(service.apiUrl, "documents.publishCatalog", operations.documents.publishCatalog.example, "rest");
  const portfolioRpcUrl = portfolioChain.rpcUrl;
  const fresh = await startFreshIndex({ chain, contracts, postgres, storeUrl: databaseUrl, portfolioRpcUrl });
  const streams = new Streams(fresh.apiUrl);
  const compare = () =>
    compareServers(service.apiUrl, fresh.apiUrl, { more: [...clients.publishers.reads(), ...paid] });
  try {
    trace("fresh index");
    streams.start();
    let { differences, compared } = await compare();
    trace("compared");
    await settling;
    trace("settled");
    const { unpaid_payments } = await service.caughtUp(await history.measure());
    // A block of a settlement between two answers may have changed a time.
    if (differences.length > 0) ({ differences, compared } = await compare());
    await eventually("the same events in all streams", async () => clients.streams.agreeWith(streams), 60_000).catch(
      () => {}, // The differences are reported below.
    );
    const problems = [
      ...(unpaid_payments === 0 ? [] : [`/ready has ${unpaid_payments} unpaid payments`]),
      ...clients.streams.differences(streams),
      ...(await clients.problemsAt(service.apiUrl)),
      ...differences,
    ];
    return { problems, compared };
  } finally {
    streams.stop();
    await fresh.stop();
  }
}

/** Routes about payments. Without a payment, the portfolio returns its terms. */
const paid = ["/.well-known/x402.json", "/.well-known/x402", `/portfolio?address=0x${"00".repeat(20)}&chains=base`].map(
  (path) => ({ method: "GET" as const, path }),
);

/** The service's records of payments, for an error message. */
const storedPayments = (databaseUrl: string) =>
  withClient(databaseUrl, async (client) => {
    const columns = "nonce, state, from_block, transaction, block_number, block_hash, lease_until";
    return (await client.query(`SELECT ${columns} FROM offchain.payment`)).rows;
  });

/** What is known for an error message. A failed read must not hide the error itself. */
const described = async (name: string, read: () => Promise<unknown>) =>
  `${name}: ${await read().then(JSON.stringify, (error: unknown) => `can't be read: ${error}`)}`;

/** Prints the progress if TEST_LOG is set. */
function trace(what: string): void {
  if (process.env.TEST_LOG) console.log(`${new Date().toISOString()} ${what}`);
}

/** Runs the simulation of one seed on a new chain and a new database. */
export async function simulate(seed: number, { postgres, portfolioChain }: Parts): Promise<Report> {
  const sources = randomSources(seed);
  const plan = makePlan(sources.plan);
  const stops: (() => unknown)[] = [];
  try {
    const [port = 0, apiPort = 0, ponderPort = 0] = await freePorts(3);
    const chain = await startChain({ port });
    stops.push(chain.child.stop);
    const contracts = await deploy(chain.client);
    const protocol = protocolOn(chain.client, contracts);
    await fundPayers(protocol);
    const history = await History.start(protocol, seed);
    // In parts, so that a reorg can also remove blocks from before the start.
    for (let left = plan.history; left > 0; left -= 8) await history.mine(Math.min(left, 8));

    const proxy = await startRpcProxy(chain.rpcUrl, { webSocket: plan.webSocket });
    stops.push(proxy.close);
    const database = await createTestDatabase("simulation", postgres.url);
    stops.push(database.drop);
    stops.push(() => repair(postgres, database.url));
    const stateFolder = await mkdtemp(join(tmpdir(), "intentry-simulation-"));
    stops.push(() => rm(stateFolder, { recursive: true, force: true }));
    const service = new Service({
      ...serviceEnvironment(contracts, { rpcUrl: proxy.url, portfolioRpcUrl: portfolioChain.rpcUrl }),
      DATABASE_URL: database.url,
      INTENTRY_DIR: stateFolder,
      API_PORT: String(apiPort),
      PONDER_PORT: String(ponderPort),
      API_WORKERS: String(plan.workers),
    });
    service.start();
    stops.push(() => service.stop());
    await service.caughtUp(await history.measure());

    const clients = new Clients(service.apiUrl, sources.clients, history.world, protocol);
    stops.push(() => clients.streams.stop());
    await clients.purchases.open();
    clients.streams.start();
    const running: Running = {
      ...{ history, clients, service, postgres, proxy, sources },
      databaseUrl: database.url,
      random: sources.faults,
    };
    const problems: string[] = [];
    let compared = 0;
    try {
      for (const round of plan.rounds) {
        trace(`${round.service} ${round.rpc?.fate ?? ""}`);
        await runRound(round, running);
      }
      trace("verify");
      const found = await verify(running, { chain, contracts, postgres, portfolioChain });
      problems.push(...found.problems);
      compared = found.compared;
      trace("done");
    } catch (error) {
      const hasEnded = await Promise.race([chain.child.ended.then(() => true), setTimeout(ENDED_MS, false)]);
      if (hasEnded) throw new ChainEnded(chain.child.lastLines().join("\n"), { cause: error });
      problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      problems.push(await described("Payments", () => storedPayments(database.url)));
      problems.push(await described("Purchases", clients.purchases.states));
    }
    const { reorgs, deepest, world } = history;
    const actions = [...world.happened.values()].reduce((sum, times) => sum + times, 0);
    const summary = { actions, reorgs, deepest: Number(deepest), compared, ...clients.summary() };
    const log = `${service.log()}\n${clients.streams.traces()}\n`;
    return { plan, problems, summary, failures: service.failures, log };
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
