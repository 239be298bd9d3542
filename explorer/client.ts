import type { Api } from "../client/src/api";
import { callsOf } from "../client/src/calls";
import { follow } from "../client/src/follow";
import type { Helpers } from "../client/src/index";

/** The parts of the typed client that every page needs. The others load viem, and only the pages that use them do that. */
export type ExplorerClient = Api & Pick<Helpers, "follow">;

const RETRIES = 3;

/** Creates the client of the service at this origin. */
export function createExplorerClient(url: string): ExplorerClient {
  const send: typeof fetch = (input, init) => fetch(input, init);
  const calls = callsOf({ url, token: undefined, retries: RETRIES, fetch: send });
  const followEvents: Helpers["follow"] = (filter = {}, options = {}) => follow({ url, fetch: send }, filter, options);
  return new Proxy(calls, {
    get: (target, name) => (name === "follow" ? followEvents : target[name as keyof Api]),
  }) as ExplorerClient;
}
