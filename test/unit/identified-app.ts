import { Hono } from "hono";
import { pino } from "pino";
import type { Env } from "../../api/http/reply";
import { receiveRequest } from "../../api/http/request";

/** An app whose requests have what {@link import("../../api/http/reply").reply} needs, and no routes. */
export const identifiedApp = () =>
  new Hono<Env>().use(
    receiveRequest(pino({ level: "silent" }), {
      config: { trustProxy: false, publicBaseUrl: undefined, writeTokens: [] },
      limits: undefined,
    }),
  );
