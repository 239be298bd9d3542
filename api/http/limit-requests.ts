import type { IncomingMessage } from "node:http";
import type { Logger } from "pino";
import type { ClientLimits } from "../core/client-limits";
import type { Config } from "../core/context";
import { clientKeyOf } from "./caller";
import { failureOf } from "./failure";
import { logRequest } from "./log";
import { commonHeaders, pathOf, requestIdOf, type ServeCached } from "./serve-cached";

type Options = {
  limits: Pick<ClientLimits, "countRequests">;
  config: Pick<Config, "trustProxy" | "writeTokens">;
  log: Logger;
  /** The body of an error response. It depends on the transport, and so on the path. */
  errorBody: (path: string, error: unknown) => object;
};

const headerOf = ({ headers }: IncomingMessage, name: string) => {
  const value = headers[name];
  return typeof value === "string" ? value : undefined;
};

/** Counts every request before it is served, from the cache or by the app. Responds with 429 above the client's limit. */
export const limitRequests =
  (serveCached: ServeCached, { limits, config, log, errorBody }: Options): ServeCached =>
  (request, response) => {
    const start = performance.now();
    try {
      limits.countRequests(clientKeyOf((name) => headerOf(request, name), request.socket.remoteAddress, config));
    } catch (error) {
      const { status, headers } = failureOf(error);
      const { method = "", url = "" } = request;
      const path = pathOf(url);
      const requestId = requestIdOf(request.headers["x-request-id"]);
      const body = JSON.stringify(errorBody(path, error));
      const sent = { "content-type": "application/json", "content-length": Buffer.byteLength(body), ...headers };
      response.writeHead(status, [
        ...Object.entries(sent).flat().map(String),
        ...commonHeaders,
        "x-request-id",
        requestId,
      ]);
      response.end(method === "HEAD" ? undefined : body);
      logRequest(log, { requestId, method, path, status, start });
      return true;
    }
    return serveCached(request, response);
  };
