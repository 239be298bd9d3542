import { Hono } from "hono";
import { readiness } from "./readiness";
import type { Services } from "./services";

/** The gateway's routes. `/health` says that the process serves, `/ready` that the index has caught up. */
export function createGateway(services: Services): Hono {
  const gateway = new Hono();
  gateway.get("/health", (c) =>
    c.json({
      status: "ok",
      ok: true,
      service: "intentry",
      name: "Intentry",
      x402DevBypass: services.config.x402DevBypass,
    }),
  );
  gateway.get("/ready", async (c) => {
    const state = await readiness(services);
    return c.json(state, state.ready ? 200 : 503);
  });
  gateway.notFound((c) => c.json({ error: `No route ${c.req.method} ${c.req.path}` }, 404));
  gateway.onError((error, c) => {
    console.error(error);
    return c.json({ error: "Something unforeseen happened; the details are in the server's log" }, 500);
  });
  return gateway;
}
