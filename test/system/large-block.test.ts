import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Address, encodeFunctionData, numberToHex, pad } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { protocolAbis } from "../../config/contracts";
import { readLocalDeployment } from "../../config/networks";
import { actor, connect } from "../../stack/local/chain";
import { freePorts } from "../../stack/roles/ports";
import { npmStart } from "../support/npm-start";
import { descendantsOf } from "../support/processes";

const TRANSACTIONS = 1_000;
const IDLE_MS = 6_000;

/** The CPU time of a process in seconds. Linux counts it in hundredths. */
function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const [, , , , , , , , , , , user = "0", system = "0"] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(user) + Number(system)) / 100;
}

/** The CPU usage of an idle process, as a fraction of one core. */
async function idleLoad(pid: number): Promise<number> {
  const before = cpuSeconds(pid);
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  return (cpuSeconds(pid) - before) / (IDLE_MS / 1000);
}

describe("a block of 1,000 transactions, on npm start with its default settings", () => {
  let stateFolder: string;
  let apiUrl: string;
  let run: ReturnType<typeof npmStart>;
  beforeAll(async () => {
    stateFolder = await mkdtemp(join(tmpdir(), "intentry-large-block-"));
    const [api = 0, ponder = 0, anvil = 0] = await freePorts(3);
    apiUrl = `http://127.0.0.1:${api}`;
    run = npmStart({
      INTENTRY_DIR: stateFolder,
      API_PORT: String(api),
      PONDER_PORT: String(ponder),
      ANVIL_PORT: String(anvil),
    });
    await run.printed("Ready. The gateway is on");
  });
  afterAll(async () => {
    await run?.stop();
    await rm(stateFolder, { recursive: true, force: true });
  });

  const target = (number: number): Address => pad(numberToHex(number), { size: 20 });

  const allowedTargets = async (account: Address): Promise<number> => {
    const response = await fetch(`${apiUrl}/accounts/${account}/policies?total=true&limit=1`);
    return ((await response.json()) as { pagination: { total: number } }).pagination.total;
  };

  it("is indexed, and the node is as idle afterwards as before", async () => {
    const { rpcUrl, contracts } = readLocalDeployment(stateFolder);
    const client = connect(rpcUrl);
    const node = (await descendantsOf(run.pid)).find(({ command }) => /anvil.*--chain-id/.test(command));
    if (!node) throw new Error("The anvil process was not found");
    const accounts = Array.from({ length: 20 }, (_, index) => actor(index));
    const perAccount = Math.ceil(TRANSACTIONS / accounts.length);
    const before = existsSync("/proc/self/stat") ? await idleLoad(node.pid) : undefined;

    const known = new Map<Address, number>();
    for (const { address } of accounts) known.set(address, await allowedTargets(address));
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

    for (const { address } of accounts)
      await expect
        .poll(() => allowedTargets(address), { timeout: 60_000 })
        .toBe(perAccount + (known.get(address) ?? 0));
    await client.setAutomine(true);
    if (before === undefined) return;
    const after = await idleLoad(node.pid);
    // The clock's resolution is 10 ms, and other processes affect the caches. An emulated node takes ten times as long.
    const slack = /qemu|box64/.test(node.command) ? 0.2 : 0.02;
    expect(after).toBeLessThanOrEqual(before * 1.1 + slack);
  });
});
