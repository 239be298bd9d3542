import type { Caller } from "./operation";

const admitted = new WeakSet<Caller>();

/** Lets one request run a paid operation. Only the paywall calls this, once a payment is verified, or payment is switched off. */
export function admit(caller: Caller): Caller {
  const paying = { ...caller };
  admitted.add(paying);
  return paying;
}

/** Whether a request may run a paid operation. */
export const isAdmitted = (caller: Caller) => admitted.has(caller);
