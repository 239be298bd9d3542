import {
  type Account,
  type Address,
  createClient,
  encodeFunctionData,
  formatLog,
  type Hex,
  http,
  type Log,
  parseEther,
  type RpcTransactionReceipt,
  rpcSchema,
  toHex,
} from "viem";
import { type Call, deployedAbis, type Protocol } from "../protocol";

/** Enough for each call of the market week. A block of the local chain has room for a hundred of them. */
const GAS = 1_000_000n;

/** anvil takes the transactions of a block in the order of their prices, so each one pays a little less than the one before. */
const HIGHEST_PRICE = 10_000_000_000n;

type Transaction = { from: Address; to?: Address; data: Hex; value?: bigint };

type Methods = [
  { Method: "eth_sendTransaction"; Parameters: [Record<string, unknown>]; ReturnType: Hex },
  { Method: "anvil_setBalance"; Parameters: [Address, Hex]; ReturnType: null },
  { Method: "anvil_autoImpersonateAccount"; Parameters: [boolean]; ReturnType: null },
  { Method: "evm_setAutomine"; Parameters: [boolean]; ReturnType: null },
  { Method: "evm_setNextBlockTimestamp"; Parameters: [Hex]; ReturnType: null },
  { Method: "evm_mine"; Parameters?: undefined; ReturnType: Hex },
  { Method: "anvil_mine"; Parameters: [blocks: Hex, interval: Hex]; ReturnType: null },
  { Method: "eth_getBlockReceipts"; Parameters: ["latest"]; ReturnType: RpcTransactionReceipt[] },
];

export type Batch = {
  /** Adds a transaction to the next block. It is mined in the order of the calls. */
  call: Call<void>;
  send: (transaction: Transaction) => void;
  /** Gives accounts ether for gas and bonds. */
  fund: (accounts: readonly Account[]) => Promise<void>;
  /** Mines the added transactions in a block with this timestamp, and returns its logs. Throws if one of them reverts. */
  mine: (timestamp: bigint) => Promise<Log[]>;
  /** Mines this many blocks without transactions, from the time of the newest block until now. */
  mineEmpty: (blocks: bigint, newest: bigint) => Promise<void>;
};

/**
 * Sends transactions of any accounts without their keys, and mines many of them in one block. The requests of a block share
 * one HTTP request. Afterwards the node mines each transaction at once, as before.
 */
export async function inBatches({ client, contracts }: Protocol, run: (batch: Batch) => Promise<void>): Promise<void> {
  const { request } = createClient({
    rpcSchema: rpcSchema<Methods>(),
    transport: http(client.transport.url, { batch: { batchSize: 1_000 }, retryCount: 0 }),
  });
  const nonces = new Map<Address, number>();
  let added: Transaction[] = [];

  const submit = ({ from, to, data, value = 0n }: Transaction, index: number) => {
    const nonce = nonces.get(from) ?? 0;
    nonces.set(from, nonce + 1);
    const gas = { gas: toHex(to ? GAS : 10n * GAS), gasPrice: toHex(HIGHEST_PRICE - BigInt(index)) };
    const transaction = { from, to, data, value: toHex(value), nonce: toHex(nonce), ...gas };
    return request({ method: "eth_sendTransaction", params: [transaction] });
  };

  const batch: Batch = {
    send: (transaction) => added.push(transaction),
    call(from, name, functionName, args, value) {
      const data = encodeFunctionData({ abi: deployedAbis[name], functionName, args } as never);
      added.push({ from: from.address, to: contracts[name], data, ...(value !== undefined && { value }) });
    },
    async fund(accounts) {
      const balance = toHex(parseEther("100"));
      await Promise.all(
        accounts.map(({ address }) => request({ method: "anvil_setBalance", params: [address, balance] })),
      );
    },
    async mine(timestamp) {
      const sent = added;
      added = [];
      await Promise.all([
        request({ method: "evm_setNextBlockTimestamp", params: [toHex(timestamp)] }),
        ...sent.map(submit),
      ]);
      await request({ method: "evm_mine" });
      const receipts = await request({ method: "eth_getBlockReceipts", params: ["latest"] });
      const failed = receipts.findIndex(({ status }) => status !== "0x1");
      if (failed >= 0) throw new Error(`Transaction ${failed + 1} of the block at ${timestamp} reverted`);
      if (receipts.length < sent.length)
        throw new Error(`The block at ${timestamp} has ${receipts.length} of ${sent.length} transactions`);
      return receipts.flatMap(({ logs }) => logs.map((log) => formatLog(log)));
    },
    async mineEmpty(blocks, newest) {
      const now = BigInt(Math.floor(Date.now() / 1000));
      const interval = (now - newest) / blocks;
      await request({ method: "evm_setNextBlockTimestamp", params: [toHex(now - interval * (blocks - 1n))] });
      await request({ method: "anvil_mine", params: [toHex(blocks), toHex(interval)] });
    },
  };

  await request({ method: "evm_setAutomine", params: [false] });
  await request({ method: "anvil_autoImpersonateAccount", params: [true] });
  try {
    await run(batch);
  } finally {
    await request({ method: "anvil_autoImpersonateAccount", params: [false] });
    await request({ method: "evm_setAutomine", params: [true] });
  }
}
