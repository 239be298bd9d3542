import type { Context } from "../../api/operations/context";

const unused = () => {
  throw new Error("Unexpected access to the index or the chain");
};

/** The context of a gateway without index and chain, for tests of the store and payments. Access to either throws. */
export const withoutIndex: Omit<Context, "store" | "config"> = {
  db: { select: unused, execute: unused } as never,
  clients: { chain: { getCode: unused, verifyTypedData: unused } },
  simulate: unused,
  tokens: { find: unused, named: unused },
  payments: undefined,
  events: { subscribe: () => Promise.reject(new Error("Unexpected access to the event log")) },
  portfolio: { chains: [], snapshot: unused },
  head: unused,
  readiness: unused,
  clock: unused,
};
