import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Hex, keccak256, stringToBytes, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../support/package-installation";
import { type Stack, startStack } from "../../support/stack";
import { installedPackage } from "./installed";
import { runMarket } from "./market";

describe("the installed package", () => {
  let stack: Stack;
  /** The folder of the compiled examples, in the project. */
  let built: string;
  let project: string;

  beforeAll(async () => {
    const starting = startStack({ sample: true, tokens: true });
    starting.catch(() => {});
    ({ project } = await installedPackage());
    built = await mkdtemp(join(project, "built-"));
    await run(process.execPath, [join("node_modules", "typescript", "bin", "tsc"), "--outDir", built], project);
    stack = await starting;
  }, 600_000);
  afterAll(() => stack?.stop());

  it("runs the complete agent example, which has under 100 lines", async () => {
    const source = await readFile(join(project, "agent.ts"), "utf8");
    expect(source.trim().split("\n").length).toBeLessThan(100);
    const args = [join(built, "agent.js"), stack.apiUrl, stack.chain.rpcUrl];
    const printed = await run(process.execPath, args, project, 100_000);
    const found = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? "";
    const id = found(/^Intent (\d+) is OPEN/m);
    expect(printed.match(/^live: .*$/gm)).toEqual([
      expect.stringContaining(`Intent #${id} submitted by `),
      expect.stringContaining(`Bid #1 on intent #${id} by `),
      expect.stringContaining(`selected for intent #${id} by its owner`),
      expect.stringContaining(`Intent #${id} filled by `),
    ]);
    expect(await stack.read("IntentBook", "getIntentStatus", [BigInt(id)])).toBe(1);
    const hash = found(/paid for in (0x[0-9a-f]{64})/) as Hex;
    expect((await stack.client.getTransactionReceipt({ hash })).status).toBe("success");
    const catalog = found(/catalogs\/(0x[0-9a-f]{64})/);
    const published = await (await fetch(`${stack.apiUrl}/catalogs/${catalog}`)).text();
    expect(keccak256(stringToBytes(published))).toBe(catalog);
  }, 120_000);

  it("runs a market of the solver, merchant and buyer examples for 30 s without an error", async () => {
    const { apiUrl, chain } = stack;
    const market = await runMarket({ folder: built, apiUrl, rpcUrl: chain.rpcUrl, seconds: 30 });
    expect(market.errors).toEqual([]);
    const { bought } = market;
    expect(bought.slice(0, 4).map(({ rail }) => rail)).toEqual(["transfer", "swap", "facilitator", "x402"]);
    const paid = { 0: "transfer", 1: "swap", 2: "facilitator", 3: "x402" } as const;
    for (const { rail, receipt_id } of bought) {
      const receipt = await stack.read("CommerceRegistry", "getReceipt", [BigInt(receipt_id)]);
      expect(receipt.amount).toBe(500_000n);
      expect(paid[receipt.paymentRail as keyof typeof paid]).toBe(rail);
      expect(receipt.fulfillmentHash).not.toBe(zeroHash);
      expect((await stack.read("CommerceRegistry", "getQuote", [receipt.quoteHash])).settled).toBe(true);
      const evidence = await (await fetch(`${apiUrl}/fulfillment-evidence/${receipt.fulfillmentHash}`)).json();
      expect(evidence).toMatchObject({ type: "delivery", receipt_id });
    }
    const { merchantId } = await stack.read("CommerceRegistry", "getReceipt", [BigInt(bought[0]?.receipt_id ?? 0)]);
    const { payoutAddress } = await stack.read("CommerceRegistry", "getMerchant", [merchantId]);
    const income = await stack.read("TestDollar", "balanceOf", [payoutAddress]);
    expect(income).toBe(BigInt(bought.length) * 500_000n);
    const filled = market.solver.flatMap((line) => /^Filled intent (\d+) in/.exec(line)?.[1] ?? []);
    expect(filled).toHaveLength(bought.filter(({ rail }) => rail === "swap").length);
    for (const id of filled) expect(await stack.read("IntentBook", "getIntentStatus", [BigInt(id)])).toBe(1);
    // The solver has registered, so its fills count.
    const [, solverId] = /^Solver (\d+) bids on/.exec(market.solver[0] ?? "") ?? [];
    expect(await (await fetch(`${apiUrl}/solvers/${solverId}`)).json()).toMatchObject({
      successful_fills: String(filled.length),
      failed_fills: "0",
    });

    // A merchant that starts again, at another address, is found by its old id.
    const again = await runMarket({ folder: built, apiUrl, rpcUrl: chain.rpcUrl, seconds: 0 });
    expect(again.errors).toEqual([]);
    const merchantOf = async (purchases: readonly { receipt_id: string }[]) => {
      const id = BigInt(purchases.at(-1)?.receipt_id ?? 0);
      return (await stack.read("CommerceRegistry", "getReceipt", [id])).merchantId;
    };
    expect(await merchantOf(again.bought)).toBe(await merchantOf(bought));
  }, 300_000);

  it("runs the guide of its README", async () => {
    const guide = join(built, "readme.js");
    const code = await readFile(guide, "utf8");
    const moved = code.replaceAll("http://localhost:3001", stack.apiUrl);
    await writeFile(guide, moved.replaceAll("http://localhost:8545", stack.chain.rpcUrl));
    const printed = (await run(process.execPath, [guide], project, 60_000)).trim().split("\n");
    expect(printed).toContain("Agent 999 not found");
    const hash = printed.at(-1);
    expect(await (await fetch(`${stack.apiUrl}/fulfillment-evidence/${hash}`)).json()).toMatchObject({
      receipt_id: "1",
    });
  }, 90_000);
});
