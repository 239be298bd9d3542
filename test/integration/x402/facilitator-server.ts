import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { Facilitator } from "../../../api/payments/facilitators/remote";

/** What a facilitator may do wrong with one request, instead of doing what it is asked or after it. */
export type Fault = "hang up before" | "hang up after" | "hang" | "fail" | "talk nonsense" | "say no more";

type Asked = { paymentPayload: never; paymentRequirements: never };

/** A real facilitator behind HTTP, whose next requests can be made to go wrong. */
export async function startFacilitatorServer(real: Facilitator) {
  const faults: { verify: Fault[]; settle: Fault[] } = { verify: [], settle: [] };
  const calls = { verify: 0, settle: 0 };
  const held = { verify: Promise.resolve(), settle: Promise.resolve() };
  const authorizations = new Set<string | undefined>();
  const app = new Hono<{ Bindings: { outgoing: { destroy: () => void } } }>();
  for (const step of ["verify", "settle"] as const)
    app.post(`/${step}`, async (c) => {
      calls[step]++;
      authorizations.add(c.req.header("authorization"));
      const fault = faults[step].shift();
      const { paymentPayload, paymentRequirements } = await c.req.json<Asked>();
      await held[step];
      const act = () => real[step](paymentPayload, paymentRequirements);
      if (fault === "fail") return c.json({ error: "out of order at node http://secret.example/key" }, 500);
      if (fault === "talk nonsense") return c.text("<html>");
      if (fault === "hang up after") await act();
      if (fault === "hang") await new Promise((resolve) => setTimeout(resolve, 30_000));
      if (fault === "hang" || fault === "hang up before" || fault === "hang up after") {
        c.env.outgoing.destroy();
        return c.body(null);
      }
      if (fault === "say no more")
        return c.json({
          success: false,
          errorReason: "http://secret.example/key said no",
          transaction: "",
          network: "",
        });
      return c.json(await act());
    });
  app.onError((error, c) => c.json({ error: error.message }, 500));
  const server = createServer(getRequestListener(app.fetch));
  const listenOn = (port: number) =>
    new Promise<number>((resolve) =>
      server.listen(port, "127.0.0.1", () => {
        const address = server.address();
        resolve(address && typeof address === "object" ? address.port : 0);
      }),
    );
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  const port = await listenOn(0);
  return {
    url: `http://127.0.0.1:${port}`,
    faults,
    calls,
    authorizations,
    stop,
    /** Holds every settlement back until the function that it returns is called. */
    holdSettlements(): () => void {
      let release = () => {};
      held.settle = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    /** Nobody listens on its port for as long as `meanwhile` takes. */
    async whileDown<Value>(meanwhile: () => Promise<Value>): Promise<Value> {
      await stop();
      try {
        return await meanwhile();
      } finally {
        await listenOn(port);
      }
    },
  };
}
