import { db, publicClients } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { pino } from "pino";
import { graphql } from "ponder";
import { createGateway } from "../../api/gateway";
import { listen } from "../../api/http/listener";
import { followHead } from "../../api/index-head";
import type { Services } from "../../api/services";
import { parseEnvironment } from "../../config/environment";
import { LOCAL_CHAIN_ID } from "../../config/networks";

const environment = parseEnvironment(process.env);
const { chainId, contracts } = environment.network();

const head = followHead(db);

const services: Services = {
  db,
  clients: { chain: publicClients.protocol },
  config: {
    chainId,
    contracts,
    maxLagBlocks: chainId === LOCAL_CHAIN_ID ? 0n : 10n,
    x402DevBypass: environment.x402DevBypass,
    cursorSecret: environment.cursorSecret,
    checkAnswers: environment.checkAnswers,
  },
  head: head.read,
  now: head.now,
};

const log = pino({ level: environment.logLevel });
listen(createGateway(services, log), environment.apiPort, log);

/** What Ponder serves on its own port, the operators': GraphQL beside its metrics and status. */
const operators = new Hono();
operators.use("/graphql", graphql({ db, schema }));

export default operators;
