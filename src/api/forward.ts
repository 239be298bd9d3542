import type { Handler } from "hono";
import { proxy } from "hono/proxy";

/**
 * Forwards requests to the gateway's own port, and responds with what it answers, streams as they come. Without an answer it
 * calls `onFailure` and returns 503.
 */
export const forwardTo =
  (apiPort: number, onFailure: (error: unknown, path: string) => void): Handler =>
  async (c) => {
    const { pathname, search } = new URL(c.req.url);
    try {
      return await proxy(`http://127.0.0.1:${apiPort}${pathname}${search}`, { raw: c.req.raw, redirect: "manual" });
    } catch (cause) {
      onFailure(cause, pathname);
      const error = `The gateway does not answer on port ${apiPort} (API_PORT); try again shortly`;
      return c.json({ error }, 503, { "retry-after": "5" });
    }
  };
