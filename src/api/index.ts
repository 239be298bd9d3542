import { db } from "ponder:api";
import schema from "ponder:schema";
import { getTableConfig } from "drizzle-orm/pg-core";
import { Hono } from "hono";
import { graphql } from "ponder";
import { register } from "prom-client";
import { openLog } from "../../api/http/open-log";
import type { Env } from "../../api/http/reply";
import { createLazy } from "../../api/offchain/lazy";
import { parseEnvironment } from "../../config/environment";
import { RPC_REQUESTS } from "../../rpc/metrics";

/** Ponder's port: GraphQL, the requests to RPC nodes, and every route of the gateway, except /health, /ready, /status and /metrics, which Ponder reserves. */
const app = new Hono<Env>();
// Only this metric: the modules of the store also define those of the gateway, which have no values in this process.
app.get("/metrics/rpc", async (c) =>
  c.body(await register.getSingleMetricAsString(RPC_REQUESTS), 200, { "content-type": register.contentType }),
);
// The depth of the introspection query of GraphiQL. Types of filters refer to themselves, so that every further level of a query
// for them doubles its time, which the indexer's thread would spend.
app.use("/graphql", graphql({ db, schema }, { maxOperationDepth: 21 }));

/** The gateway, from the first request that needs it, on the schema that Ponder writes. It has a pool and background work of its own. */
const gateway = createLazy(async () => {
  const { composeGateway } = await import("../../api/compose");
  // Ponder creates the tables in the schema of its command line, and defines them with it.
  const indexSchema = getTableConfig(schema.agent).schema;
  const environment = { ...parseEnvironment(process.env), indexSchema };
  return composeGateway(environment, openLog(environment));
});
app.all("*", async (c) => (await gateway.get()).app.fetch(c.req.raw, c.env));

export default app;
