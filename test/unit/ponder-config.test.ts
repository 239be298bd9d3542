import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contractNames } from "../../config/contracts";
import { baseSepolia } from "../../config/networks";

const Sources = z.record(z.enum(contractNames), z.object({ address: z.string(), startBlock: z.number() }));

/** Prints the contracts of Ponder's configuration. It reads the variables of its process when it is imported. */
const PRINT =
  'const { default: config } = await import("./ponder.config.ts"); console.log(JSON.stringify(config.contracts)); process.exit()';

async function sourcesWith(variables: Record<string, string>) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", "tsx", "--input-type=module", "--eval", PRINT],
    {
      cwd: new URL("../..", import.meta.url),
      env: { PATH: process.env.PATH, DATABASE_URL: "postgres://unused.invalid/none", ...variables },
    },
  );
  return Sources.parse(JSON.parse(stdout, (key, value) => (key === "abi" ? undefined : value)));
}

describe("Ponder's configuration of base-sepolia", () => {
  const chain = { NETWORK: "base-sepolia", RPC_URL: "http://127.0.0.1:1", PUBLIC_BASE_URL: "https://api.example" };
  const sources = (startBlockOf: (name: (typeof contractNames)[number]) => number) =>
    Object.fromEntries(
      contractNames.map((name) => [name, { address: baseSepolia.contracts[name], startBlock: startBlockOf(name) }]),
    );

  it("indexes each contract from the block of its deployment, and all of them from START_BLOCK if it is set", async () => {
    const [preset, set] = await Promise.all([sourcesWith(chain), sourcesWith({ ...chain, START_BLOCK: "7" })]);
    expect(preset).toEqual(sources((name) => (name === "SettlementAdapter" ? 42074808 : 42033933)));
    expect(set).toEqual(sources(() => 7));
  });
});
