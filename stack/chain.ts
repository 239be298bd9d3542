import {
  createTestClient,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { anvil as anvilChain } from "viem/chains";
import { LOCAL_CHAIN_ID, LOCAL_MNEMONIC } from "../config/networks";
import { type Child, startChild, waitFor } from "./child";
import { findFoundry } from "./foundry";

/** One of anvil's accounts. */
export const actor = (index: number) => mnemonicToAccount(LOCAL_MNEMONIC, { addressIndex: index });

export type ChainConnection = ReturnType<typeof connect>;

/** A client that reads, signs and turns anvil's knobs. */
export const connect = (rpcUrl: string, chainId: number = LOCAL_CHAIN_ID) =>
  createTestClient({
    chain: { ...anvilChain, id: chainId },
    mode: "anvil",
    transport: http(rpcUrl, { retryCount: 0, timeout: 30_000 }),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);

export type LocalChain = { rpcUrl: string; child: Child; client: ChainConnection };

type Options = {
  port: number;
  /** Unset, {@link LOCAL_CHAIN_ID}. */
  chainId?: number;
  /** Unix seconds of the first block; unset, the present. */
  startTime?: number;
  /** For thousands of transactions a block, from any account: gas is free and boundless, and first come is first mined. */
  bulk?: boolean;
  /** A chain to fork. */
  forkUrl?: string;
};

/** Starts anvil with a fresh chain and waits until it answers. */
export async function startChain({
  port,
  chainId = LOCAL_CHAIN_ID,
  startTime,
  bulk = false,
  forkUrl,
}: Options): Promise<LocalChain> {
  const anvil = await findFoundry("anvil");
  const child = startChild({
    name: "anvil",
    command: anvil,
    args: [
      ["--host", "127.0.0.1"],
      ["--port", String(port)],
      ["--chain-id", String(chainId)],
      ["--mnemonic", LOCAL_MNEMONIC],
      ["--accounts", "20"],
      ["--timestamp", String(startTime ?? Math.floor(Date.now() / 1000))],
      ["--code-size-limit", "100000"],
      ["--gas-limit", bulk ? "4000000000" : "100000000"],
      bulk ? ["--order", "fifo", "--base-fee", "0", "--gas-price", "0"] : [],
      forkUrl ? ["--fork-url", forkUrl] : [],
    ].flat(),
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const client = connect(rpcUrl, chainId);
  await waitFor(child, "answer from the chain", async () => (await client.getChainId()) === chainId || undefined);
  return { rpcUrl, child, client };
}

/**
 * Mines a block every so often, besides the one for each transaction, until it is stopped. viem's
 * `waitForTransactionReceipt` looks for a receipt only when a new block comes, and would wait for ever if none did.
 *
 * anvil's own `--mixed-mining` can't be switched on once the chain runs, and from the start on it would put blocks between
 * those of the sample. While automining is off, whoever turned it off decides about the blocks.
 */
export function mineEvery(client: ChainConnection, ms: number): { stop: () => void } {
  let isStopped = false;
  const run = async () => {
    while (!isStopped) {
      await new Promise((resolve) => setTimeout(resolve, ms).unref());
      if (!isStopped && (await client.getAutomine())) await client.mine({ blocks: 1 });
    }
  };
  const repeat = () => {
    if (!isStopped) run().catch(repeat);
  };
  repeat();
  return {
    stop() {
      isStopped = true;
    },
  };
}

/** How long a transaction has to be mined on a chain that mines at once. */
const MINED_MS = 30_000;

/**
 * The receipt of a transaction just sent; a revert is an error. It asks again and again, because viem's own wait looks
 * only when a new block comes, and anvil announces a block a moment before it knows the block's receipts.
 */
export async function mined(client: ChainConnection, sent: Promise<Hex>): Promise<TransactionReceipt> {
  const hash = await sent;
  const deadline = Date.now() + MINED_MS;
  for (;;) {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError && Date.now() < deadline) return undefined;
      throw error;
    });
    if (receipt?.status === "success") return receipt;
    if (receipt) throw new Error(`Transaction ${hash} reverted`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
