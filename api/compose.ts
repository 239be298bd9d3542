import type { Hono } from "hono";
import type { Logger } from "pino";
import { createPublicClient, fallback, http } from "viem";
import { type Environment, requireDatabaseUrl } from "../config/environment";
import { buildSchema } from "../config/index-build";
import { LOCAL_CHAIN_ID } from "../config/networks";
import { followHead as followChainHead } from "../rpc/follow-head";
import { rpcTimes } from "../rpc/transport";
import { createClientLimits } from "./core/client-limits";
import { clockAt } from "./core/clock";
import { openFeed } from "./events/open-feed";
import { createGateway, errorBody } from "./gateway";
import { limitRequests } from "./http/limit-requests";
import type { ServeDirectly } from "./http/listener";
import type { Env } from "./http/log";
import { ResponseCache } from "./http/response-cache";
import { openIndex } from "./index/database";
import { followHead, timeAt } from "./index/head";
import { shareReads } from "./index/shared-read";
import { runMonitor } from "./monitor/chain-monitor";
import { openMonitor } from "./monitor/open";
import { readSharedHead } from "./monitor/shared-head";
import type { Context } from "./operations/context";
import { paymentsFrom } from "./payments/configured";
import { createSettlementFollower } from "./payments/follow-settlements";
import { createPortfolio } from "./portfolio/portfolio";
import { configuredProvider } from "./portfolio/providers/configured";
import { createLazy, createLazyStore } from "./store/lazy";
import { openStore } from "./store/open";
import { readRevision } from "./store/revision";
import { readSecret } from "./store/secrets";
import { serveDirectly } from "./transports/rest/serve-directly";

/** The poll interval of the event log. Shorter on a local chain, where blocks are mined on demand. */
const LOCAL_EVENT_POLL_MS = 50;
const EVENT_POLL_MS = 250;

/** The read interval of the published chain head in the store. */
const LOCAL_HEAD_READ_MS = 200;
const HEAD_READ_MS = 1_000;

/** The interval at which settled payments are compared with the payment network. */
const LOCAL_SETTLEMENT_MS = 1_000;
const SETTLEMENT_MS = 10_000;

/** The poll interval if this process follows the head and the node does not support subscriptions. */
const LOCAL_HEAD_POLL_MS = 500;
const HEAD_POLL_MS = 2_000;

export type ComposedGateway = {
  app: Hono<Env>;
  /** Responds to a request before it reaches the app, if it can. */
  serveDirectly: ServeDirectly;
  /** Makes `/ready` return 503 with this reason. Other requests are still served. */
  reportOutage: (reason: string) => void;
  /** Ends all event streams. Subscribers receive a message to reconnect. */
  endStreams: () => void;
  /** Stops the background work and closes the database connections. */
  close: () => Promise<void>;
};

/** Creates the gateway and its dependencies from the environment. */
export async function composeGateway(environment: Environment, log: Logger): Promise<ComposedGateway> {
  const network = environment.network();
  const { chainId, contracts, rpcUrls, startBlock } = network;
  const isLocal = chainId === LOCAL_CHAIN_ID;
  const databaseUrl = requireDatabaseUrl(environment);

  const index = openIndex({
    databaseUrl,
    build: environment.indexSchema ?? (await buildSchema(environment.databaseSchema, network)),
    onError: (error) => log.warn({ err: error }, "the builds of the index could not be read"),
  });
  const store = createLazyStore(() =>
    openStore({
      databaseUrl,
      onIdleError: (error) => log.warn({ err: error }, "an idle connection to the store failed"),
    }),
  );
  const cursorSecret = createLazy(async () => environment.cursorSecret ?? readSecret(await store.db(), "cursor"));
  const head = followHead(index.db, index.pendingCheckpoint);
  const chain = createPublicClient({ transport: fallback(rpcUrls.map((url) => http(url))) });
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
  const monitorClient = createPublicClient({ transport: fallback(rpcUrls.map((url) => http(url, { retryCount: 0 }))) });
  const ifReachable = <Value>(request: () => Promise<Value>) =>
    chainHead.isAway() ? Promise.reject(new Error("All nodes of the chain are down")) : request();
  const monitor = openMonitor({
    db: index.db,
    indexHead: head.read,
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
  const events = openFeed({
    db: index.db,
    chain,
    store: store.db,
    chainId,
    log,
    pollMs: isLocal ? LOCAL_EVENT_POLL_MS : EVENT_POLL_MS,
    maxSubscribers: environment.maxListeners,
    maxSubscribersPerClient: environment.maxListenersOfClient,
    bufferedMessages: environment.keptMessages,
    checkAnswers: environment.checkAnswers,
  });
  const limits = createClientLimits(environment);
  const context: Context = {
    db: index.db,
    events,
    clients: { chain },
    payments,
    config: { ...environment, chainId, contracts, cursorSecret: cursorSecret.get },
    limits,
    store: store.db,
    portfolio: createPortfolio({ provider, cacheMs: environment.portfolio.cacheMs }),
    head: head.read,
    readiness,
    clock: async () => clockAt(timeAt(await head.read())),
  };
  const cache = new ResponseCache({
    maxBytes: environment.responseCacheBytes,
    indexHead: head,
    storeRevision: shareReads(async () => readRevision(await store.db())),
  });
  const direct = serveDirectly(context, cache, log);
  return {
    app: createGateway(context, log, cache),
    serveDirectly:
      environment.requestsPerMinute === undefined
        ? direct
        : limitRequests(direct, { limits, config: context.config, log, errorBody }),
    reportOutage(reason) {
      outage = reason;
    },
    endStreams: () => events.close(),
    async close() {
      monitor.stop();
      followed?.stop();
      chainHead.close();
      await Promise.all([index.close(), store.close()]);
    },
  };
}
