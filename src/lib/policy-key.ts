import type { Hex } from "viem";

/** What tells policies of one kind of one account apart: the addresses and the selector they are about, in this order. */
export const policyKey = (...about: Hex[]) => about.join("-");

/** What a policy is about: the inverse of {@link policyKey}. */
export const policySubjects = (key: string) => key.split("-") as Hex[];
