import pg from "pg";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contractNames } from "../../config/contracts";
import { baseSepolia } from "../../config/networks";

const Sources = z.record(z.enum(contractNames), z.object({ address: z.string(), startBlock: z.number() }));

/** The contracts of Ponder's configuration, which reads the variables of its process when it is imported. */
async function sourcesWith(variables: Record<string, string>) {
  const { env } = process;
  const { connect } = pg.Client.prototype;
  process.env = { DATABASE_URL: "postgres://unused.invalid/none", ...variables };
  try {
    // A module with another query is evaluated again.
    const url = `../../ponder.config.ts?${Object.keys(variables).length}`;
    const { default: config } = await import(/* @vite-ignore */ url);
    return Sources.parse(config.contracts);
  } finally {
    process.env = env;
    // It watches all connections of its process.
    pg.Client.prototype.connect = connect;
  }
}

describe("Ponder's configuration of base-sepolia", () => {
  const chain = { NETWORK: "base-sepolia", RPC_URL: "http://127.0.0.1:1", PUBLIC_BASE_URL: "https://api.example" };
  const sources = (startBlockOf: (name: (typeof contractNames)[number]) => number) =>
    Object.fromEntries(
      contractNames.map((name) => [name, { address: baseSepolia.contracts[name], startBlock: startBlockOf(name) }]),
    );

  it("indexes each contract from the block of its deployment, and all of them from START_BLOCK if it is set", async () => {
    expect(await sourcesWith(chain)).toEqual(sources((name) => (name === "SettlementAdapter" ? 42074808 : 42033933)));
    expect(await sourcesWith({ ...chain, START_BLOCK: "7" })).toEqual(sources(() => 7));
  });
});
