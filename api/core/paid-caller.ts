import type { Caller } from "./operation";

const paidCallers = new WeakSet<Caller>();

/**
 * Returns a caller that may run a paid operation. Only the paywall calls this, after it has verified a payment or if
 * payment is disabled.
 */
export function paidCaller(caller: Caller): Caller {
  const paid = { ...caller };
  paidCallers.add(paid);
  return paid;
}

/** Whether a caller may run a paid operation. */
export const isPaidCaller = (caller: Caller) => paidCallers.has(caller);
