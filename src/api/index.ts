import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { graphql } from "ponder";

// Vite's own SIGTERM listener ends the process before Ponder has released the lock on its schema.
for (const registered of process.rawListeners("SIGTERM")) {
  const { listener } = registered as { listener?: NodeJS.SignalsListener };
  if (listener) process.off("SIGTERM", listener);
}

/** Served on Ponder's port, for operators only: GraphQL besides Ponder's metrics and status. */
const operators = new Hono();
operators.use("/graphql", graphql({ db, schema }));

export default operators;
