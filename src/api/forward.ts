import type { Handler } from "hono";
import { proxy } from "hono/proxy";

/** Forwards requests to the gateway's own port, and responds with what it answers, streams as they come. */
export const forwardTo =
  (apiPort: number): Handler =>
  async (c) => {
    const { pathname, search } = new URL(c.req.url);
    try {
      return await proxy(`http://127.0.0.1:${apiPort}${pathname}${search}`, { raw: c.req.raw, redirect: "manual" });
    } catch {
      const error = `The gateway does not answer on port ${apiPort} (API_PORT); try again shortly`;
      return c.json({ error }, 503, { "retry-after": "5" });
    }
  };
