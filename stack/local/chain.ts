import {
  type Address,
  createTestClient,
  type Hex,
  http,
  publicActions,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  walletActions,
} from "viem";
import { anvil as anvilChain } from "viem/chains";
import { LOCAL_CHAIN_ID, LOCAL_MNEMONIC } from "../../config/networks";
import { steadyTime } from "../../config/steady-time";
import { type Child, startChild, waitFor } from "../supervision/child";
import { findFoundry } from "./foundry";

export { localAccount as actor } from "../../config/local-accounts";

export type ChainConnection = ReturnType<typeof connect>;

/** A client for reads, transactions and anvil's test methods. */
export const connect = (rpcUrl: string, chainId: number = LOCAL_CHAIN_ID) =>
  createTestClient({
    chain: { ...anvilChain, id: chainId },
    mode: "anvil",
    // The logs of a block can have more than viem's limit of 10 MB.
    transport: http(rpcUrl, { retryCount: 0, timeout: 30_000, maxResponseBodySize: false }),
    pollingInterval: 20,
    cacheTime: 0,
  })
    .extend(publicActions)
    .extend(walletActions);

export type LocalChain = { rpcUrl: string; child: Child; client: ChainConnection };

type Options = {
  port: number;
  /** Default: {@link LOCAL_CHAIN_ID}. */
  chainId?: number;
  /** The number of the first block. Default: 0. */
  firstBlock?: number;
  /** The timestamp of the first block, in unix seconds. Default: now. */
  startTime?: number;
  /** For thousands of transactions or events per block: free gas, a high block gas limit, FIFO order, large requests. */
  bulk?: boolean;
  /** The RPC URL of a chain to fork. */
  forkUrl?: string;
};

/** Starts anvil with a fresh chain and waits until it responds. */
export async function startChain({
  port,
  chainId = LOCAL_CHAIN_ID,
  firstBlock = 0,
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
      firstBlock > 0 ? ["--number", String(firstBlock)] : [],
      ["--mnemonic", LOCAL_MNEMONIC],
      ["--accounts", "20"],
      ["--timestamp", String(startTime ?? Math.floor(Date.now() / 1000))],
      ["--code-size-limit", "100000"],
      ["--gas-limit", bulk ? "4000000000" : "100000000"],
      bulk ? ["--order", "fifo", "--base-fee", "0", "--gas-price", "0", "--no-request-size-limit"] : [],
      forkUrl ? ["--fork-url", forkUrl] : [],
    ].flat(),
  });
  const rpcUrl = `http://127.0.0.1:${port}`;
  const client = connect(rpcUrl, chainId);
  await waitFor(child, "response from the chain", async () => (await client.getChainId()) === chainId || undefined);
  return { rpcUrl, child, client };
}

/**
 * Mines a block at a fixed interval, besides one per transaction, until stopped. viem's `waitForTransactionReceipt` checks
 * for a receipt only on new blocks, and would otherwise wait forever.
 *
 * anvil's `--mixed-mining` can't be enabled on a running chain. Enabled at the start, it would add blocks between those of
 * the sample activity. While automining is off, this mines nothing.
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

/** Enough for every transaction of the sample activity. anvil's own estimates are too low for calls by the policy account. */
const GAS = 10_000_000n;

/**
 * One of anvil's accounts as the sender of a transaction. anvil has its key, so that it takes one request; viem would send six to
 * prepare the transaction and sign it.
 */
export const signedByNode = ({ address }: { address: Address }) => ({ account: address, chain: null, gas: GAS });

/** The timeout for a receipt, on a chain that mines each transaction immediately. */
const MINED_MS = 30_000;

/**
 * Waits for the receipt of a transaction. Throws if it reverted. It polls, because viem's wait checks only on new blocks,
 * and anvil announces a block shortly before the block's receipts are available.
 */
export async function mined(client: ChainConnection, sent: Promise<Hex>): Promise<TransactionReceipt> {
  const hash = await sent;
  const deadline = steadyTime() + MINED_MS;
  for (;;) {
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError && steadyTime() < deadline) return undefined;
      throw error;
    });
    if (receipt?.status === "success") return receipt;
    if (receipt) throw new Error(`Transaction ${hash} reverted`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
