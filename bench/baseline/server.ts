import express, { type ErrorRequestHandler } from "express";
import { agents } from "./agents";
import { analytics } from "./analytics";
import { bids } from "./bids";
import { documents } from "./documents";
import { intents } from "./intents";
import { preflight } from "./preflight";
import { timeSeries } from "./time-series";
import { transactions } from "./transactions";

/**
 * The baseline of bench/reads.ts: Express and pg with handwritten SQL. It gives the same answers as the gateway on the
 * routes of routes.ts, from the same database (DATABASE_URL, INDEX_SCHEMA, INTENTRY_DIR). It shares only the gateway's pure functions for sentences about
 * events and for policy checks.
 */
const app = express();
app.use(express.json({ limit: "256kb" }));

app.get("/health", (_req, res) => {
  const x402DevBypass = process.env.X402_DEV_BYPASS === "true";
  res.json({ status: "ok", ok: true, service: "intentry", name: "Intentry", x402DevBypass });
});

app.use(agents, intents, bids, analytics, timeSeries, transactions, documents, preflight);

app.use((req, res) => {
  res.status(404).json({ error: `No route for ${req.path}; /docs lists all routes`, code: "unknown_route" });
});

const codes: Record<number, string> = {
  400: "invalid_input",
  404: "not_found",
  409: "conflict",
  413: "too_large",
  500: "internal_error",
};

const onError: ErrorRequestHandler = (error, _req, res, _next) => {
  const status = Number(error.status ?? 500);
  if (status === 500) console.error(error);
  res.status(status).json({ error: status === 500 ? "Internal error" : error.message, code: codes[status] });
};
app.use(onError);

app.listen(Number(process.env.PORT), "127.0.0.1");
