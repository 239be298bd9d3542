import type { Context } from "../api/operations/context";

const unused = () => {
  throw new Error("What is tested here has nothing to do with the index or the chain");
};

/** The services of a gateway that is asked only for what it keeps or sells itself: whoever asks the index is wrong. */
export const withoutIndex: Omit<Context, "store" | "config"> = {
  db: { select: unused, execute: unused } as never,
  clients: { chain: { getCode: unused, verifyTypedData: unused } },
  payments: undefined,
  events: { subscribe: () => Promise.reject(new Error("There is no event log here")) },
  portfolio: { chains: [], snapshot: unused },
  head: unused,
  readiness: unused,
  now: unused,
};
