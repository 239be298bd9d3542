import type { Address } from "viem";
import type { TypedData } from "./answer";

/** The types of the fields of a domain. */
const domainTypes = [
  { name: "name", type: "string" },
  { name: "version", type: "string" },
  { name: "chainId", type: "uint256" },
  { name: "verifyingContract", type: "address" },
];

type Message = {
  domain: { name: string; version: string; chainId: number; verifyingContract: Address };
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
  primaryType: string;
  message: object;
};

/** Bigints as decimal text, at any depth. */
const withoutBigints = (value: unknown): unknown => {
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutBigints(member)]));
};

/** Typed data as wallets take it: with the type of its domain. */
export const typedDataOf = ({ domain, types, primaryType, message }: Message): TypedData => ({
  domain,
  types: {
    EIP712Domain: domainTypes,
    ...Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, fields.map((field) => ({ ...field }))])),
  },
  primaryType,
  message: withoutBigints(message) as Record<string, unknown>,
});
