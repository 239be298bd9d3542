import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** The upper bound of bench/reads.ts: routes of Hono that do nothing. A request's body is read, as HTTP requires. */
const app = new Hono();
app.get("/", (c) => c.text("ok"));
app.post("/", async (c) => {
  await c.req.arrayBuffer();
  return c.text("ok");
});

serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: "127.0.0.1" });
