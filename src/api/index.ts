import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { pino } from "pino";
import { graphql } from "ponder";
import { createPublicClient, fallback, http } from "viem";
import { openFeed } from "../../api/events/open-feed";
import { createGateway } from "../../api/gateway";
import { listen } from "../../api/http/listener";
import { followHead } from "../../api/index-head";
import { configuredProvider } from "../../api/portfolio/configured";
import { createPortfolio } from "../../api/portfolio/portfolio";
import type { Services } from "../../api/services";
import { lazily } from "../../api/store/lazy";
import { openStore } from "../../api/store/open";
import { paymentsFrom } from "../../api/x402/payments";
import { storeFolder } from "../../config/embedded";
import { parseEnvironment } from "../../config/environment";
import { LOCAL_CHAIN_ID } from "../../config/networks";

const environment = parseEnvironment(process.env);
const network = environment.network();
const { chainId, contracts, rpcUrls } = network;

const log = pino({ level: environment.logLevel });
const head = followHead(db);

globalThis.intentryStore ??= lazily(() =>
  openStore({
    databaseUrl: environment.databaseUrl,
    folder: storeFolder(environment.stateFolder),
    onIdleError: (error) => log.warn({ err: error }, "a connection to the store broke"),
  }),
);
const store = globalThis.intentryStore;

const chain = createPublicClient({ transport: fallback(rpcUrls.map((url) => http(url))) });

/** How often the event log is looked at: on a local chain as often as it can have changed. */
const EVENT_POLL_MS = chainId === LOCAL_CHAIN_ID ? 50 : 250;

const provider = configuredProvider(environment.portfolio, (failure) =>
  log.warn(failure, "part of a portfolio could not be read"),
);

const services: Services = {
  db,
  clients: { chain },
  payments: paymentsFrom(environment.payment(network), log),
  config: {
    ...environment,
    chainId,
    contracts,
    maxLagBlocks: chainId === LOCAL_CHAIN_ID ? 1n : 10n,
  },
  store: store.db,
  portfolio: createPortfolio({ provider, cacheMs: environment.portfolio.cacheMs }),
  head: head.read,
  now: head.now,
};

const feed = openFeed({ ...environment, db, chain, store: store.db, chainId, log, pollMs: EVENT_POLL_MS });
const gateway = createGateway(services, log, { feed, heartbeatMs: environment.eventHeartbeatMs });

listen(gateway, environment.apiPort, log, {
  begin: () => globalThis.intentryEvents?.close(),
  finish: store.close,
});

/** What Ponder serves on its own port, the operators': GraphQL beside its metrics and status. */
const operators = new Hono();
operators.use("/graphql", graphql({ db, schema }));

export default operators;
