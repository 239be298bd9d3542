import { type Hex, keccak256, stringToBytes } from "viem";

const repeated = (byte: string): Hex => `0x${byte.repeat(32)}`;

/** The hashes under which the public deployment knows the built-in schemas, by name. A migration inserts the schemas. */
const fixedHashes: Readonly<Record<string, Hex>> = {
  solver_reputation: repeated("11"),
  tool_capability: repeated("22"),
  model_provider: repeated("33"),
  safety_review: repeated("44"),
};

const hashesByAlias = new Map(
  Object.entries(fixedHashes).map(([name, alias]): [Hex, Hex] => [alias, keccak256(stringToBytes(name))]),
);

/** The other hashes of a schema. Only built-in ones have any. */
export const aliasesOf = ({ name, builtin }: { name: string; builtin: boolean }): Hex[] =>
  builtin && Object.hasOwn(fixedHashes, name) && fixedHashes[name] !== undefined ? [fixedHashes[name]] : [];

/** The hash of the built-in schema that has this alias. Undefined for other hashes. */
export const hashOfAlias = (hash: Hex): Hex | undefined => hashesByAlias.get(hash);
