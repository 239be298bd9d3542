import type { Transport } from "viem";

/** More requests per second than any chain needs. The pool limits requests in flight instead. */
const REQUESTS_PER_SECOND = 10_000;

/**
 * Workaround of Ponder 0.16.10: docs/upstream.md#rate-limit
 *
 * Without it, Ponder sends at most 20 requests per second to a node, and needs ten busy seconds for each further 5 %. A chain
 * that mines 50 blocks at once is indexed after more than 10 s. There is no setting. Ponder keeps the limit in a private
 * object and calls `request` as its method, so the limit is a property of `this`.
 *
 * Test: test/system/slow-node.test.ts "gets more than Ponder's default of 20 requests per second"
 */
function liftRateLimit(bucket: unknown): void {
  if (typeof bucket !== "object" || bucket === null || !("rpsLimit" in bucket)) return;
  if (typeof bucket.rpsLimit === "number") bucket.rpsLimit = REQUESTS_PER_SECOND;
}

/** The transport, without Ponder's limit of requests per second. */
export const withoutRateLimit =
  (create: Transport): Transport =>
  (parameters) => {
    const transport = create(parameters);
    const { request } = transport;
    const limited = function (this: unknown, ...args: Parameters<typeof request>) {
      liftRateLimit(this);
      return request(...args);
    };
    return { ...transport, request: limited as typeof request };
  };
