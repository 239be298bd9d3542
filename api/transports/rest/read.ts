import type { IncomingMessage } from "node:http";
import { recordDependencies } from "../../core/dependencies";
import { inputText } from "../../core/input-text";
import type { AnyCall, Caller } from "../../core/operation";
import { parseInput, requirePermission, runParsed, runRead } from "../../core/run";
import { JSON_TYPE } from "../../http/common-headers";
import type { Computation, Found, ResponseCache } from "../../http/response-cache";
import type { IndexHead } from "../../index/head";
import type { Context } from "../../operations/context";
import { nameOf } from "../../operations/index";
import { routeOf } from "./route";

/** Whether an operation only reads, and its response depends on nothing but its input and the state that it reads. */
export const isRead = (operation: AnyCall): boolean => {
  const { method, headers } = routeOf(operation);
  return method === "GET" && operation.status === undefined && Object.keys(headers).length === 0;
};

const MAX_URL_CHARACTERS = 2_048;

/**
 * The key of a request in the cache: its URL, and everything else that the public base URL depends on. Undefined for URLs
 * that are too long to be kept.
 */
export function cacheKeyOf(
  { url = "", headers }: Pick<IncomingMessage, "url" | "headers">,
  { publicBaseUrl, trustProxy }: Pick<Context["config"], "publicBaseUrl" | "trustProxy">,
): string | undefined {
  const { host = "", "x-forwarded-proto": protocol = "", "x-forwarded-host": forwardedHost = "" } = headers;
  const scope = publicBaseUrl !== undefined ? "" : trustProxy ? `${protocol} ${forwardedHost} ${host}` : host;
  return url.length + scope.length > MAX_URL_CHARACTERS ? undefined : `${scope} ${url}`;
}

type ReadRequest = {
  caller: Caller;
  /** The input as sent, from the path and the query. */
  sent: Record<string, unknown>;
  /** The request's key for {@link ResponseCache.find}. */
  url: string | undefined;
  /** Called with the index head before the response is computed, also if that fails. */
  onIndexHead: (head: IndexHead) => void;
};

export type Read = (request: ReadRequest) => Promise<Found>;

/** Runs an operation that {@link isRead} through the cache. */
export function readThrough(cache: ResponseCache, context: Context, operation: AnyCall): Read {
  return ({ caller, sent, url, onIndexHead }) => {
    requirePermission(context, operation, caller);
    const input = parseInput(context, operation, sent);
    const compute = (): Computation => {
      const recorded = recordDependencies(context, caller, cache.storeRevision);
      const { dependencies } = recorded;
      const run = async () => {
        const output = await runParsed(recorded.context, operation, input, recorded.caller);
        if (!operation.document) return { body: JSON.stringify(output), type: JSON_TYPE, headers: {} };
        // Documents never change.
        dependencies.storeRevision = undefined;
        const headers = { etag: `"${input.hash}"`, "cache-control": "public, max-age=31536000, immutable" };
        return { body: String(output), type: "application/json", headers };
      };
      return { result: run(), dependencies };
    };
    const key = `${operation.route} ${caller.baseUrl} ${inputText(input)}`;
    const readsIndex = operation.readsIndex !== false;
    return runRead(context, caller, () =>
      cache.get(key, { operation: nameOf(operation), url, readsIndex, compute, onIndexHead }),
    );
  };
}
