import type { Hono } from "hono";
import type { Logger } from "pino";
import { type Address, createPublicClient, fallback } from "viem";
import { chains } from "../config/chains";
import { type Environment, requireDatabaseUrl } from "../config/environment";
import { buildName } from "../config/index-build";
import { LOCAL_CHAIN_ID, type Network } from "../config/networks";
import { repeat } from "../config/repeat";
import type { ListedToken } from "../config/token-list";
import { followHead as followChainHead, rpcTimes } from "../rpc/follow-head";
import { reasonOf } from "../rpc/json-rpc";
import { createSimulate } from "./actions/simulate";
import { createClientLimits } from "./core/client-limits";
import { clockAt } from "./core/clock";
import { waitForRecovery } from "./core/recovery";
import { openFeed } from "./events/open-feed";
import { createGateway } from "./gateway";
import type { Env } from "./http/reply";
import { ResponseCache } from "./http/response-cache";
import { openIndex } from "./indexed/database";
import { followHead, timeAt } from "./indexed/head";
import { shareReads } from "./indexed/shared-read";
import { createFetch } from "./metadata/fetch";
import { startMetadataResolver } from "./metadata/resolver";
import { openMonitor } from "./monitor/open";
import { readSharedHead } from "./monitor/shared-head";
import { collectState } from "./observe";
import { reportReader } from "./offchain/index-readers";
import { createLazy, createLazyStore } from "./offchain/lazy";
import { openStore } from "./offchain/open";
import { readRevision } from "./offchain/revision";
import { readSecret } from "./offchain/secrets";
import type { Context } from "./operations/context";
import { paymentsFrom } from "./payments/configured";
import { createSettlementFollower } from "./payments/follow-settlements";
import { createPortfolio } from "./portfolio/portfolio";
import { configuredProvider } from "./portfolio/providers/configured";
import { startPriceReader } from "./prices/reader";
import { tracedHttp } from "./telemetry/traced-http";
import { readToken } from "./tokens/contract";
import { listedAs, listedOn, nativeOf } from "./tokens/lists";
import { createTokens } from "./tokens/tokens";

/** The intervals of background work in milliseconds. They are shorter on a local chain, where blocks are mined on demand. */
const intervals = {
  local: {
    events: 50,
    headRead: 200,
    headPoll: 500,
    settlements: 1_000,
    metadata: { intervalMs: 300, retryMs: 1_000 },
    prices: { retryMs: 1_000, idleMs: 1_000 },
  },
  public: {
    events: 250,
    headRead: 1_000,
    headPoll: 2_000,
    settlements: 10_000,
    metadata: { intervalMs: 2_000, retryMs: 60_000 },
    prices: { retryMs: 5_000, idleMs: 3_600_000 },
  },
};

/** The time limit of one request for a token. */
const TOKEN_CALL_MS = 3_000;

/** The time limit of one request for prices. */
const PRICE_CALL_MS = 10_000;

/** The time limit of one simulation. */
const SIMULATION_MS = 5_000;

export type ComposedGateway = {
  app: Hono<Env>;
  /** Makes `/ready` return 503 with this reason. Other requests are still served. */
  reportOutage: (reason: string) => void;
  /** Ends all event streams. Subscribers receive a message to reconnect. */
  endStreams: () => void;
  /** Stops the background work and closes the database connections. */
  close: () => Promise<void>;
};

/** What all subsystems have in common. */
type Deployment = {
  environment: Environment;
  network: Network;
  databaseUrl: string;
  times: typeof intervals.local;
  isLocal: boolean;
  log: Logger;
};

function deploymentOf(environment: Environment, log: Logger): Deployment {
  const network = environment.network();
  const isLocal = network.chainId === LOCAL_CHAIN_ID;
  const times = isLocal ? intervals.local : intervals.public;
  return { environment, network, databaseUrl: requireDatabaseUrl(environment), times, isLocal, log };
}

async function composeIndex({ environment, network, databaseUrl, log }: Deployment) {
  const index = openIndex({
    databaseUrl,
    poolMode: environment.poolMode,
    readUrls: environment.databaseReadUrls,
    build: environment.indexSchema ?? (await buildName(environment.databaseSchema, network)),
    onError: (error) => log.warn({ err: error }, "the builds of the index could not be read"),
    onSource: ({ name }) => log.info({ server: name }, "the index is read from another server"),
    onSourceFailure: ({ name }, error) => log.warn({ server: name, err: error }, "a database server does not answer"),
  });
  const newestHead = followHead(index.db, index);
  return { index, newestHead, head: waitForRecovery(newestHead) };
}

type ComposedIndex = Awaited<ReturnType<typeof composeIndex>>;

function composeStore({ environment, databaseUrl, log }: Deployment, { index }: ComposedIndex) {
  const { poolMode, databaseReadUrls } = environment;
  const store = createLazyStore(() =>
    openStore({
      databaseUrl,
      poolMode,
      onIdleError: (error) => log.warn({ err: error }, "an idle connection to the store failed"),
    }),
  );
  const revision = shareReads(async () => readRevision(await store.db()));
  /** The store, once queries of the index see what was written to it. */
  const visible = async () => {
    const db = await store.db();
    await index.requireStore(await revision.read());
    return db;
  };
  // The indexer sees the connections of a gateway, except behind a pooler or on a replica.
  const isHidden = poolMode === "transaction" || databaseReadUrls.length > 0;
  const reader = isHidden
    ? reportReader(store.db, index.servedBuild, (error) =>
        log.warn({ err: error }, "the build of the index that is read could not be published"),
      )
    : undefined;
  const close = async () => {
    await reader?.stop();
    await store.close();
  };
  return { db: store.db, visible: databaseReadUrls.length > 0 ? visible : store.db, revision, close };
}

type ComposedStore = ReturnType<typeof composeStore>;

/** The nodes of the chain. Requests of a node that is known to be down are not sent. */
function composeChain({ environment, network, times, isLocal, log }: Deployment, { db: store }: ComposedStore) {
  const { chainId, rpcUrls } = network;
  const head = readSharedHead({
    store,
    chainId,
    intervalMs: times.headRead,
    follow: () =>
      followChainHead({
        urls: rpcUrls,
        webSocketUrls: environment.rpcWebSocketUrls,
        intervalMs: times.headPoll,
        ...rpcTimes(isLocal),
      }),
    onError: (error) => log.debug({ err: error }, "the published head of the chain could not be read"),
  });
  const ifReachable = <Value>(request: () => Promise<Value>) =>
    head.isAway() ? Promise.reject(new Error("All nodes of the chain are down")) : request();
  const clientOf = (options?: Parameters<typeof tracedHttp>[1], retryCount?: number) =>
    createPublicClient({
      transport: fallback(
        rpcUrls.map((url) => tracedHttp(url, options)),
        { ...(retryCount !== undefined && { retryCount }) },
      ),
    });
  return { head, ifReachable, clientOf, client: clientOf() };
}

type ComposedChain = ReturnType<typeof composeChain>;

function composeMonitor(
  { environment, network, log }: Deployment,
  { index, newestHead }: ComposedIndex,
  { db: store }: ComposedStore,
  { head, ifReachable, clientOf }: ComposedChain,
) {
  // The monitor retries in its own loop.
  const client = clientOf({ retryCount: 0 });
  return openMonitor({
    db: index.db,
    indexHead: newestHead.read,
    chain: {
      getBlock: (parameters) => ifReachable(() => client.getBlock(parameters)),
      getChainId: () => ifReachable(() => client.getChainId()),
    },
    head: head.current,
    store,
    chainId: network.chainId,
    startBlock: network.startBlock,
    maxLagSeconds: environment.maxLagSeconds,
    log,
  });
}

/** The tokens of the chain. A token that is not read now is read later, so its requests are not repeated. */
function composeTokens(
  { environment, network: { chainId }, log }: Deployment,
  { db: store }: ComposedStore,
  { ifReachable, clientOf }: ComposedChain,
) {
  const client = clientOf({ retryCount: 0, timeout: TOKEN_CALL_MS }, 0);
  const ownTokens = environment.portfolio.local()?.tokens;
  const listed = listedOn(chainId, ownTokens);
  const tokens = createTokens({
    chainId,
    listed,
    listedAs: listedAs(chainId, ownTokens),
    native: nativeOf(chainId),
    read: (address) => ifReachable(() => readToken(client, address)),
    store,
    onError: (error) => log.warn({ reason: reasonOf(error) }, "a token could not be read"),
  });
  return { tokens, listed };
}

/** The reader of prices by hour, if the chain has tokens with feeds. */
function composePrices(
  { network: { chainId }, times, log }: Deployment,
  { index, newestHead }: ComposedIndex,
  { db: store }: ComposedStore,
  { ifReachable, clientOf }: ComposedChain,
  listed: ReadonlyMap<Address, ListedToken>,
) {
  const tokens = new Map([...listed].filter(([, { feeds }]) => feeds.length > 0));
  if (tokens.size === 0) return undefined;
  const client = clientOf({ retryCount: 0, timeout: PRICE_CALL_MS }, 0);
  return startPriceReader({
    db: index.db,
    head: newestHead.read,
    store,
    client: () => ifReachable(async () => client),
    multicall3: Object.values(chains).find((chain) => chain.chainId === chainId)?.multicall3 ?? null,
    chainId,
    tokens,
    ...times.prices,
    log,
  });
}

/** The simulation of transactions, without retries: each costs one request. */
function composeSimulation({ ifReachable, clientOf }: ComposedChain) {
  const client = clientOf({ retryCount: 0, timeout: SIMULATION_MS }, 0);
  return createSimulate(() => ifReachable(async () => client));
}

/** The payment terms, and the follower of settled payments. */
function composePayments({ environment, network, times, log }: Deployment, { db: store }: ComposedStore) {
  const payments = paymentsFrom(environment.payment(network), log);
  const settlements = payments && createSettlementFollower(payments, store, log);
  const running =
    settlements &&
    repeat({
      task: settlements.round,
      pauseMs: times.settlements,
      onError: (error) => log.warn({ err: error }, "settled payments could not be compared with the payment network"),
    });
  return { payments, unpaid: () => settlements?.unpaid() ?? null, stop: async () => running?.stop() };
}

/** The URLs at which clients reach this service. Without PUBLIC_BASE_URL, which only a local chain permits, those of this machine. */
const ownOrigins = ({ publicBaseUrl, apiUrl, apiPort }: Environment): string[] =>
  publicBaseUrl === undefined
    ? [...new Set([apiUrl, `http://127.0.0.1:${apiPort}`, `http://localhost:${apiPort}`])]
    : [publicBaseUrl];

function composeMetadata(
  { environment, network, times, log }: Deployment,
  { index }: ComposedIndex,
  { db: store }: ComposedStore,
) {
  if (!environment.resolveMetadata) return undefined;
  return startMetadataResolver({
    db: index.db,
    store,
    chainId: network.chainId,
    ownOrigins: ownOrigins(environment),
    ipfsGateways: environment.ipfsGateways,
    fetchBytes: createFetch(),
    ...times.metadata,
    log,
  });
}

function composePortfolio({ environment, log }: Deployment) {
  const provider = configuredProvider(environment.portfolio, (failure) =>
    log.warn(failure, "part of a portfolio could not be read"),
  );
  return createPortfolio({ provider, cacheMs: environment.portfolio.cacheMs });
}

/** Creates the gateway and its subsystems from the environment. */
export async function composeGateway(environment: Environment, log: Logger): Promise<ComposedGateway> {
  const deployment = deploymentOf(environment, log);
  const { chainId, contracts } = deployment.network;
  const ofIndex = await composeIndex(deployment);
  const { index, head } = ofIndex;
  const store = composeStore(deployment, ofIndex);
  const chain = composeChain(deployment, store);
  const monitor = composeMonitor(deployment, ofIndex, store, chain);
  const { tokens, listed } = composeTokens(deployment, store, chain);
  const prices = composePrices(deployment, ofIndex, store, chain, listed);
  const { payments, unpaid, stop: stopPayments } = composePayments(deployment, store);
  const metadata = composeMetadata(deployment, ofIndex, store);
  const events = openFeed({
    db: index.db,
    chain: chain.client,
    store: store.db,
    tokens,
    chainId,
    log,
    pollMs: deployment.times.events,
    maxSubscribersPerClient: environment.eventStreamsPerClient,
    checkAnswers: environment.checkAnswers,
  });
  let outage: string | undefined;
  const readiness = async () => {
    const state = { ...(await monitor.readiness()), unpaid_payments: unpaid() };
    return outage === undefined
      ? state
      : { ...state, ready: false, reason: outage, reasons: [outage, ...state.reasons] };
  };
  const cursorSecret = createLazy(async () => readSecret(await store.db(), "cursor"));
  const context: Context = {
    db: index.db,
    events,
    clients: { chain: chain.client },
    simulate: composeSimulation(chain),
    tokens,
    payments,
    config: { ...environment, chainId, contracts, listed, cursorSecret: cursorSecret.get },
    limits: createClientLimits(environment),
    store: store.visible,
    portfolio: composePortfolio(deployment),
    head: head.read,
    readiness,
    clock: async () => clockAt(timeAt(await head.read())),
  };
  const maxBytes = environment.responseCacheBytes;
  const cache =
    maxBytes > 0 ? new ResponseCache({ maxBytes, indexHead: head, storeRevision: store.revision }) : undefined;
  collectState({ readiness, cache, store: store.db, log });
  return {
    app: createGateway(context, log, cache),
    reportOutage(reason) {
      outage = reason;
    },
    endStreams: () => events.close(),
    async close() {
      // Their requests to the chain may take long, and nothing needs their results.
      void monitor.stop();
      void stopPayments();
      chain.head.close();
      await Promise.all([metadata?.stop(), prices?.stop()]);
      await Promise.all([index.close(), store.close()]);
    },
  };
}
