import { db, publicClients } from "ponder:api";
import { Hono } from "hono";
import { graphql } from "ponder";
import schema from "ponder:schema";
import { createGateway } from "../../api/gateway";
import { listen } from "../../api/http/listener";
import { parseEnvironment } from "../../config/environment";

const environment = parseEnvironment(process.env);

listen(
  createGateway({
    db: db as never,
    chain: publicClients.protocol,
    config: { chainId: environment.network().chainId, x402DevBypass: environment.x402DevBypass },
  }),
  environment.apiPort,
);

/** What Ponder serves on its own port, the operators': GraphQL beside its metrics and status. */
const operators = new Hono();
operators.use("/graphql", graphql({ db, schema }));

export default operators;
