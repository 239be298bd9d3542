import { createServer } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import type { Facilitator } from "../../../api/payments/facilitators/remote";

/** A fault of one request. All except "disconnect after" happen instead of the action. */
export type Fault =
  | "disconnect before"
  | "disconnect after"
  | "time out"
  | "status 500"
  | "not JSON"
  | "unknown reason"
  | "says that it was used"
  | "rejects the signature"
  | "can't simulate";

type Asked = { paymentPayload: never; paymentRequirements: never };

/** A real facilitator behind HTTP, with fault injection. */
export async function startFacilitatorServer(real: Facilitator) {
  const faults: { verify: Fault[]; settle: Fault[] } = { verify: [], settle: [] };
  const calls = { verify: 0, settle: 0 };
  const held = { verify: Promise.resolve(), settle: Promise.resolve() };
  const authorizations = new Set<string | undefined>();
  const requestIds: (string | undefined)[] = [];
  const traceParents: (string | undefined)[] = [];
  const app = new Hono<{ Bindings: { outgoing: { destroy: () => void } } }>();
  app.get("/supported", async (c) => {
    authorizations.add(c.req.header("authorization"));
    return c.json(await real.getSupported());
  });
  for (const step of ["verify", "settle"] as const)
    app.post(`/${step}`, async (c) => {
      calls[step]++;
      authorizations.add(c.req.header("authorization"));
      requestIds.push(c.req.header("x-request-id"));
      traceParents.push(c.req.header("traceparent"));
      const fault = faults[step].shift();
      const { paymentPayload, paymentRequirements } = await c.req.json<Asked>();
      await held[step];
      const act = () => real[step](paymentPayload, paymentRequirements);
      if (fault === "status 500") return c.json({ error: "out of order at node http://secret.example/key" }, 500);
      if (fault === "not JSON") return c.text("<html>");
      if (fault === "disconnect after") await act();
      if (fault === "time out") await new Promise((resolve) => setTimeout(resolve, 30_000));
      if (fault === "time out" || fault === "disconnect before" || fault === "disconnect after") {
        c.env.outgoing.destroy();
        return c.body(null);
      }
      if (fault === "rejects the signature")
        return c.json({ isValid: false, invalidReason: "invalid_exact_evm_signature" });
      if (fault === "can't simulate")
        return c.json({ isValid: false, invalidReason: "invalid_exact_evm_transaction_simulation_failed" });
      if (fault === "unknown reason" || fault === "says that it was used") {
        const errorReason =
          fault === "unknown reason" ? "http://secret.example/key said no" : "invalid_exact_evm_nonce_already_used";
        return c.json({ success: false, errorReason, transaction: "", network: "" });
      }
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
    /** The request ids of all requests. */
    requestIds,
    /** The trace contexts of all requests. */
    traceParents,
    stop,
    /** Delays every settlement until the returned function is called. */
    holdSettlements(): () => void {
      let release = () => {};
      held.settle = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    /** Closes the port while `meanwhile` runs. */
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
