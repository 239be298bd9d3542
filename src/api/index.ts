import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import pino from "pino";
import { graphql } from "ponder";
import { parseEnvironment } from "../../config/environment";
import { forwardTo } from "./forward";

// For `npx ponder start`, which runs Vite: its SIGTERM listener ends the process before Ponder has released the lock on its
// schema.
for (const registered of process.rawListeners("SIGTERM")) {
  const { listener } = registered as { listener?: NodeJS.SignalsListener };
  if (listener) process.off("SIGTERM", listener);
}

/** Ponder's port: GraphQL, its own /health, /ready, /status and /metrics, and every other route of the gateway. */
const app = new Hono();
app.use("/graphql", graphql({ db, schema }));
const { apiUrl, logLevel } = parseEnvironment(process.env);
const log = pino({ level: logLevel });
app.all(
  "*",
  forwardTo(apiUrl, (error, path) => log.warn({ err: error, path, url: apiUrl }, "the gateway does not answer")),
);

export default app;
