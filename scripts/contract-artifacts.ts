import { readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const root = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = "contracts/src";

const Settings = z.object({
  remappings: z.array(z.string()),
  evm_version: z.string(),
  optimizer: z.boolean(),
  optimizer_runs: z.number(),
  bytecode_hash: z.string(),
  cbor_metadata: z.boolean(),
});

/** The compiler settings of forge. Their values in foundry.toml are also JSON. */
function foundrySettings() {
  const [, profile = ""] = readFileSync(join(root, "foundry.toml"), "utf8").split(/^\[(?:.*)\]$/m);
  const lines = [...profile.matchAll(/^(\w+) = (.+)$/gm)];
  return Settings.parse(Object.fromEntries(lines.map(([, name, value = ""]) => [name, JSON.parse(value)])));
}

/** A parameter, with its keys in this order. */
const Parameter = z.strictObject({
  name: z.string(),
  type: z.string(),
  indexed: z.boolean().optional(),
  internalType: z.string().optional(),
  get components(): z.ZodOptional<z.ZodArray<typeof Parameter>> {
    return z.array(Parameter).optional();
  },
});

const kinds = ["constructor", "fallback", "receive", "function", "event", "error"] as const;

/** An entry of an ABI, with its keys in this order. */
const AbiEntry = z.strictObject({
  type: z.enum(kinds),
  name: z.string().optional(),
  inputs: z.array(Parameter).optional(),
  outputs: z.array(Parameter).optional(),
  stateMutability: z.string().optional(),
  anonymous: z.boolean().optional(),
});
type AbiEntry = z.infer<typeof AbiEntry>;

const Code = z.object({ object: z.string() });

const Output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({ abi: z.array(AbiEntry), evm: z.object({ bytecode: Code, deployedBytecode: Code }) }),
      ),
    )
    .default({}),
});

const solc: { compile: (input: string, callbacks: { import: (path: string) => object }) => string } = createRequire(
  import.meta.url,
)("solc");

/** The ABI of a contract, its creation bytecode, and its code at an address. */
export type ContractArtifact = { abi: AbiEntry[]; bytecode: string; code: string };

/**
 * Compiles contracts of contracts/src as forge does: with its compiler and the settings of foundry.toml. forge itself would also
 * generate the code of all other contracts.
 */
export async function contractArtifacts(names: readonly string[]): Promise<Record<string, ContractArtifact>> {
  const { remappings, evm_version, optimizer, optimizer_runs, bytecode_hash, cbor_metadata } = foundrySettings();
  const files = (await readdir(join(root, SOURCES), { recursive: true }))
    .filter((path) => names.includes(basename(path, ".sol")))
    .map((path) => join(SOURCES, path));
  const read = (path: string) => ({ contents: readFileSync(join(root, path), "utf8") });
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(files.map((path) => [path, { content: read(path).contents }])),
    settings: {
      remappings,
      evmVersion: evm_version,
      optimizer: { enabled: optimizer, runs: optimizer_runs },
      metadata: { bytecodeHash: bytecode_hash, appendCBOR: cbor_metadata },
      outputSelection: Object.fromEntries(
        files.map((path) => [
          path,
          { [basename(path, ".sol")]: ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] },
        ]),
      ),
    },
  };
  // The compiler has applied the remappings to the paths that it imports.
  const { errors, contracts } = Output.parse(JSON.parse(solc.compile(JSON.stringify(input), { import: read })));
  const failures = errors.filter(({ severity }) => severity === "error");
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join("\n"));
  return Object.fromEntries(
    names.map((name) => {
      const [file = ""] = files.filter((path) => basename(path, ".sol") === name);
      const made = contracts[file]?.[name];
      if (!made) throw new Error(`${SOURCES} has no contract ${name}.`);
      // The compiler sorts by name within a kind.
      const abi = kinds.flatMap((kind) => made.abi.filter(({ type }) => type === kind));
      const { bytecode, deployedBytecode } = made.evm;
      return [name, { abi, bytecode: `0x${bytecode.object}`, code: `0x${deployedBytecode.object}` }];
    }),
  );
}
