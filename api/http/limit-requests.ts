import type { Logger } from "pino";
import type { ClientLimits } from "../core/client-limits";
import type { Config } from "../core/context";
import { clientKeyOf, originOf } from "./caller";
import { requestIdOf } from "./common-headers";
import { failureOf } from "./failure";
import type { ServeDirectly } from "./listener";
import { NO_OPERATION } from "./log";
import { jsonReply, pathOf, send } from "./send";

type Options = {
  limits: Pick<ClientLimits, "countRequests">;
  config: Pick<Config, "trustProxy" | "writeTokens">;
  log: Logger;
  /** The body of an error response. It depends on the transport, and so on the path. */
  failureBody: (path: string, error: unknown) => object;
};

/** Counts every request before it is served, directly or by the app. Responds with 429 above the client's limit. */
export const limitRequests =
  (serve: ServeDirectly, { limits, config, log, failureBody }: Options): ServeDirectly =>
  (request, response) => {
    const start = performance.now();
    try {
      limits.countRequests(clientKeyOf(originOf(request), config));
    } catch (error) {
      const { status, headers } = failureOf(error);
      const requestId = requestIdOf(request.headers["x-request-id"]);
      const body = JSON.stringify(failureBody(pathOf(request.url ?? ""), error));
      const exchange = { request, response, start, requestId };
      send(log, exchange, NO_OPERATION, jsonReply({ status, headers: Object.entries(headers).flat(), body }));
      return true;
    }
    return serve(request, response);
  };
