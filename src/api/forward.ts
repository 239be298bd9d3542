import type { Handler } from "hono";
import { proxy } from "hono/proxy";

/**
 * Forwards requests to the gateway, and responds with what it answers, streams as they come. Without an answer it calls
 * `onFailure` and returns 503.
 */
export const forwardTo =
  (apiUrl: string, onFailure: (error: unknown, path: string) => void): Handler =>
  async (c) => {
    const { pathname, search } = new URL(c.req.url);
    try {
      return await proxy(`${apiUrl}${pathname}${search}`, { raw: c.req.raw, redirect: "manual" });
    } catch (cause) {
      onFailure(cause, pathname);
      const error = `The gateway does not answer at ${apiUrl} (API_HOST, API_PORT); try again shortly`;
      return c.json({ error }, 503, { "retry-after": "5" });
    }
  };
