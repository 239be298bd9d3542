import type { Hono } from "hono";
import type { Logger } from "pino";
import { createPublicClient, fallback } from "viem";
import { type Environment, requireDatabaseUrl } from "../config/environment";
import { buildSchema } from "../config/index-build";
import { LOCAL_CHAIN_ID } from "../config/networks";
import { followHead as followChainHead } from "../rpc/follow-head";
import { reasonOf } from "../rpc/json-rpc";
import { rpcTimes } from "../rpc/transport";
import { createClientLimits } from "./core/client-limits";
import { clockAt } from "./core/clock";
import { waitForRecovery } from "./core/recovery";
import { openFeed } from "./events/open-feed";
import { createGateway } from "./gateway";
import type { Env } from "./http/reply";
import { ResponseCache } from "./http/response-cache";
import { openIndex } from "./index/database";
import { followHead, timeAt } from "./index/head";
import { shareReads } from "./index/shared-read";
import { createFetch } from "./metadata/fetch";
import { startMetadataResolver } from "./metadata/resolver";
import { runMonitor } from "./monitor/chain-monitor";
import { openMonitor } from "./monitor/open";
import { readSharedHead } from "./monitor/shared-head";
import { collectState } from "./observe";
import type { Context } from "./operations/context";
import { paymentsFrom } from "./payments/configured";
import { createSettlementFollower } from "./payments/follow-settlements";
import { createPortfolio } from "./portfolio/portfolio";
import { configuredProvider } from "./portfolio/providers/configured";
import { listedAs, listedOn, nativeOf } from "./portfolio/token-lists";
import { reportReader } from "./store/index-readers";
import { createLazy, createLazyStore } from "./store/lazy";
import { openStore } from "./store/open";
import { readRevision } from "./store/revision";
import { readSecret } from "./store/secrets";
import { readToken } from "./tokens/contract";
import { createTokens } from "./tokens/tokens";
import { tracedHttp } from "./tracing/traced-http";

/** The poll interval of the event log. Shorter on a local chain, where blocks are mined on demand. */
const LOCAL_EVENT_POLL_MS = 50;
const EVENT_POLL_MS = 250;

/** The read interval of the published chain head in the store. */
const LOCAL_HEAD_READ_MS = 200;
const HEAD_READ_MS = 1_000;

/** The interval at which settled payments are compared with the payment network. */
const LOCAL_SETTLEMENT_MS = 1_000;
const SETTLEMENT_MS = 10_000;

/** The interval at which the event log is read for changes of metadata, and the first time until a fetch is repeated. */
const LOCAL_METADATA_MS = { intervalMs: 300, retryMs: 1_000 };
const METADATA_MS = { intervalMs: 2_000, retryMs: 60_000 };

/** The poll interval if this process follows the head and the node does not support subscriptions. */
const LOCAL_HEAD_POLL_MS = 500;
const HEAD_POLL_MS = 2_000;

/** The time limit of one request for a token. */
const TOKEN_CALL_MS = 3_000;

export type ComposedGateway = {
  app: Hono<Env>;
  /** Makes `/ready` return 503 with this reason. Other requests are still served. */
  reportOutage: (reason: string) => void;
  /** Ends all event streams. Subscribers receive a message to reconnect. */
  endStreams: () => void;
  /** Stops the background work and closes the database connections. */
  close: () => Promise<void>;
};

/** The URLs at which clients reach this service. Without PUBLIC_BASE_URL, which only a local chain permits, those of this machine. */
const ownOrigins = ({ publicBaseUrl, apiUrl, apiPort }: Environment): string[] =>
  publicBaseUrl === undefined
    ? [...new Set([apiUrl, `http://127.0.0.1:${apiPort}`, `http://localhost:${apiPort}`])]
    : [publicBaseUrl];

/** Creates the gateway and its dependencies from the environment. */
export async function composeGateway(environment: Environment, log: Logger): Promise<ComposedGateway> {
  const network = environment.network();
  const { chainId, contracts, rpcUrls, startBlock } = network;
  const isLocal = chainId === LOCAL_CHAIN_ID;
  const databaseUrl = requireDatabaseUrl(environment);
  const { poolMode } = environment;

  const index = openIndex({
    databaseUrl,
    poolMode,
    readUrls: environment.databaseReadUrls,
    maxLagSeconds: environment.maxReplicaLagSeconds,
    build: environment.indexSchema ?? (await buildSchema(environment.databaseSchema, network)),
    onError: (error) => log.warn({ err: error }, "the builds of the index could not be read"),
    onSource: ({ name }) => log.info({ server: name }, "the index is read from another server"),
    onSourceFailure: ({ name }, error) => log.warn({ server: name, err: error }, "a database server does not answer"),
  });
  const store = createLazyStore(() =>
    openStore({
      databaseUrl,
      poolMode,
      onIdleError: (error) => log.warn({ err: error }, "an idle connection to the store failed"),
    }),
  );
  // The indexer sees the connections of a gateway, except behind a pooler or on a replica.
  const isHidden = poolMode === "transaction" || environment.databaseReadUrls.length > 0;
  const reader = isHidden
    ? reportReader(store.db, index.servedBuild, (error) =>
        log.warn({ err: error }, "the build of the index that is read could not be published"),
      )
    : undefined;
  const cursorSecret = createLazy(async () => environment.cursorSecret ?? readSecret(await store.db(), "cursor"));
  const newestHead = followHead(index.db, index);
  const head = waitForRecovery(newestHead);
  const chain = createPublicClient({ transport: fallback(rpcUrls.map((url) => tracedHttp(url))) });
  const provider = configuredProvider(environment.portfolio, (failure) =>
    log.warn(failure, "part of a portfolio could not be read"),
  );
  const chainHead = readSharedHead({
    store: store.db,
    chainId,
    intervalMs: isLocal ? LOCAL_HEAD_READ_MS : HEAD_READ_MS,
    follow: () =>
      followChainHead({
        urls: rpcUrls,
        webSocketUrls: environment.rpcWebSocketUrls,
        intervalMs: environment.pollingIntervalMs ?? (isLocal ? LOCAL_HEAD_POLL_MS : HEAD_POLL_MS),
        ...rpcTimes(isLocal),
      }),
    onError: (error) => log.debug({ err: error }, "the published head of the chain could not be read"),
  });
  // The monitor retries in its own loop and sends no requests while all nodes are unreachable.
  const monitorClient = createPublicClient({
    transport: fallback(rpcUrls.map((url) => tracedHttp(url, { retryCount: 0 }))),
  });
  const ifReachable = <Value>(request: () => Promise<Value>) =>
    chainHead.isAway() ? Promise.reject(new Error("All nodes of the chain are down")) : request();
  const monitor = openMonitor({
    db: index.db,
    indexHead: newestHead.read,
    chain: {
      getBlock: (parameters) => ifReachable(() => monitorClient.getBlock(parameters)),
      getChainId: () => ifReachable(() => monitorClient.getChainId()),
    },
    head: chainHead.current,
    store: store.db,
    chainId,
    startBlock,
    maxLagSeconds: environment.maxLagSeconds,
    log,
  });
  const payments = paymentsFrom(environment.payment(network), log);
  const settlements = payments && createSettlementFollower(payments, store.db, log);
  const followed =
    settlements &&
    runMonitor({ tick: settlements.round }, isLocal ? LOCAL_SETTLEMENT_MS : SETTLEMENT_MS, (error) =>
      log.warn({ err: error }, "settled payments could not be compared with the payment network"),
    );
  let outage: string | undefined;
  const readiness = async () => {
    const state = { ...(await monitor.readiness()), unpaid_payments: settlements?.unpaid() ?? null };
    return outage === undefined
      ? state
      : { ...state, ready: false, reason: outage, reasons: [outage, ...state.reasons] };
  };
  // A token that is not read now is read later, so its requests are not repeated.
  const tokenClient = createPublicClient({
    transport: fallback(
      rpcUrls.map((url) => tracedHttp(url, { retryCount: 0, timeout: TOKEN_CALL_MS })),
      { retryCount: 0 },
    ),
  });
  const tokens = createTokens({
    chainId,
    listed: listedOn(chainId, environment.portfolio.local()?.tokens),
    listedAs: listedAs(chainId, environment.portfolio.local()?.tokens),
    native: nativeOf(chainId),
    read: (address) => ifReachable(() => readToken(tokenClient, address)),
    store: store.db,
    onError: (error) => log.warn({ reason: reasonOf(error) }, "a token could not be read"),
  });
  const events = openFeed({
    db: index.db,
    chain,
    store: store.db,
    tokens,
    chainId,
    log,
    pollMs: isLocal ? LOCAL_EVENT_POLL_MS : EVENT_POLL_MS,
    maxSubscribers: environment.maxListeners,
    maxSubscribersPerClient: environment.maxListenersOfClient,
    bufferedMessages: environment.keptMessages,
    checkAnswers: environment.checkAnswers,
  });
  const storeRevision = shareReads(async () => readRevision(await store.db()));
  /** The store, once queries of the index see what was written to it. */
  const visibleStore = async () => {
    const db = await store.db();
    await index.requireStore(await storeRevision.read());
    return db;
  };
  const metadata = environment.resolveMetadata
    ? startMetadataResolver({
        db: index.db,
        store: store.db,
        chainId,
        ownOrigins: ownOrigins(environment),
        ipfsGateways: environment.ipfsGateways,
        fetchBytes: createFetch(),
        ...(isLocal ? LOCAL_METADATA_MS : METADATA_MS),
        log,
      })
    : undefined;
  const limits = createClientLimits(environment);
  const context: Context = {
    db: index.db,
    events,
    clients: { chain },
    tokens,
    payments,
    config: { ...environment, chainId, contracts, cursorSecret: cursorSecret.get },
    limits,
    store: environment.databaseReadUrls.length > 0 ? visibleStore : store.db,
    portfolio: createPortfolio({ provider, cacheMs: environment.portfolio.cacheMs }),
    head: head.read,
    readiness,
    clock: async () => clockAt(timeAt(await head.read())),
  };
  const cache = new ResponseCache({
    maxBytes: environment.responseCacheBytes,
    indexHead: head,
    storeRevision,
  });
  collectState({ readiness, cache, store: store.db, log });
  return {
    app: createGateway(context, log, cache),
    reportOutage(reason) {
      outage = reason;
    },
    endStreams: () => events.close(),
    async close() {
      monitor.stop();
      followed?.stop();
      chainHead.close();
      await reader?.stop();
      await metadata?.stop();
      await Promise.all([index.close(), store.close()]);
    },
  };
}
