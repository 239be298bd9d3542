import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import pino from "pino";
import { graphql } from "ponder";
import { register } from "prom-client";
import { parseEnvironment } from "../../config/environment";
import { RPC_REQUESTS } from "../../rpc/metrics";
import { forwardTo } from "./forward";

// For `npx ponder start`, which runs Vite: its SIGTERM listener ends the process before Ponder has released the lock on its
// schema.
for (const registered of process.rawListeners("SIGTERM")) {
  const { listener } = registered as { listener?: NodeJS.SignalsListener };
  if (listener) process.off("SIGTERM", listener);
}

/** Ponder's port: GraphQL, its own /health, /ready, /status and /metrics, the requests to RPC nodes, and every other route of the gateway. */
const app = new Hono();
// Only this metric: the modules of the store also define those of the gateway, which have no values in this process.
app.get("/metrics/rpc", async (c) =>
  c.body(await register.getSingleMetricAsString(RPC_REQUESTS), 200, { "content-type": register.contentType }),
);
// The depth of the introspection query of GraphiQL. Types of filters refer to themselves, so that every further level of a query
// for them doubles its time, which the indexer's thread would spend.
app.use("/graphql", graphql({ db, schema }, { maxOperationDepth: 21 }));
const { apiUrl, logLevel } = parseEnvironment(process.env);
const log = pino({ level: logLevel });
app.all(
  "*",
  forwardTo(apiUrl, (error, path) => log.warn({ err: error, path, url: apiUrl }, "the gateway does not answer")),
);

export default app;
