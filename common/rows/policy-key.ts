import type { Hex } from "viem";

/** The key of a policy among those of the same account and type: its addresses, then its selector, joined with "-". */
export const policyKey = (...about: Hex[]) => about.join("-");

/** Splits a key into its addresses and selector. The inverse of {@link policyKey}. */
export const policySubjects = (key: string) => key.split("-") as Hex[];
