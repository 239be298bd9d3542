import type { Caller } from "./operation";

const admitted = new WeakSet<Caller>();

/** Lets one request run a paid operation. Only the paywall calls this, once a payment is verified, or payment is switched off. */
export function paidCaller(caller: Caller): Caller {
  const paying = { ...caller };
  admitted.add(paying);
  return paying;
}

/** Whether a request may run a paid operation. */
export const isPaidCaller = (caller: Caller) => admitted.has(caller);
