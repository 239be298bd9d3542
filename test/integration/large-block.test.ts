import { existsSync, readFileSync } from "node:fs";
import { type Address, encodeFunctionData, numberToHex, pad } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { protocolAbis } from "../../config/contracts";
import { actor } from "../../stack/chain";
import { type Stack, startStack } from "./stack";

const TRANSACTIONS = 1_000;
const IDLE_MS = 6_000;

/** Seconds of CPU time of a process so far. Linux counts it in hundredths. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [, , , , , , , , , , , user = "0", system = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(user) + Number(system)) / 100;
}

/** How much of one core the process uses while nothing happens. */
async function idleLoad(pid: number): Promise<number> {
  const before = cpuSeconds(pid);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return (cpuSeconds(pid) - before) / (IDLE_MS / 1000);
}

describe("a block of 1,000 transactions", () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  const target = (number: number): Address => pad(numberToHex(number), { size: 20 });

  const allowedTargets = async (account: Address): Promise<number> => {
    const response = await fetch(`${stack.apiUrl}/accounts/${account}/policies?total=true&limit=1`);
    return ((await response.json()) as { pagination: { total: number } }).pagination.total;
  };

  it("is indexed, and the node is as idle afterwards as before", async () => {
    const { client, chain, contracts } = stack;
    const accounts = Array.from({ length: 20 }, (_, index) => actor(index));
    const perAccount = Math.ceil(TRANSACTIONS / accounts.length);
    const before = existsSync("/proc/self/stat") ? await idleLoad(chain.child.pid) : undefined;

    await client.setAutomine(false);
    for (const account of accounts) {
      const nonce = await client.getTransactionCount({ address: account.address });
      for (let number = 0; number < perAccount; number++) {
        const serializedTransaction = await account.signTransaction({
          chainId: await client.getChainId(),
          nonce: nonce + number,
          gas: 60_000n,
          gasPrice: 10n ** 10n,
          to: contracts.PolicyModule,
          data: encodeFunctionData({
            abi: protocolAbis.PolicyModule,
            functionName: "setTargetAllowed",
            args: [target(number + 1), true],
          }),
        });
        await client.sendRawTransaction({ serializedTransaction });
      }
    }
    await client.mine({ blocks: 1 });
    const block = await client.getBlock();
    expect(block.transactions).toHaveLength(perAccount * accounts.length);

    await stack.indexed();
    for (const { address } of accounts) expect(await allowedTargets(address)).toBe(perAccount);
    if (before === undefined) return;
    const after = await idleLoad(chain.child.pid);
    // A hundredth of a second is the clock's resolution; other processes of the machine disturb the caches.
    expect(after).toBeLessThanOrEqual(before * 1.1 + 0.02);
  });
});
