import { type Address, type Hex, type PublicClient, parseAbi, parseEventLogs } from "viem";
import type { PaymentRow } from "./records";

/** The RPC methods needed to check a payer and to find a payment on the payment network. */
export type PaymentChain = Pick<
  PublicClient,
  | "call"
  | "getBlock"
  | "getBlockNumber"
  | "getChainId"
  | "getCode"
  | "getLogs"
  | "getTransactionReceipt"
  | "verifyTypedData"
>;

const events = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);
const [authorizationUsed, authorizationCanceled] = events;

/** The transaction that settled a payment, and its block. */
export type Settlement = { transaction: Hex; blockNumber: bigint; blockHash: Hex };

/** Search range in blocks if the block before settlement is unknown. */
const BLOCKS_BACK = 1_000n;

/** After a reorg, the transfer may be in an earlier block than the newest one before settlement. No reorg is deeper. */
const MAX_REORG_BLOCKS = 256n;

/** A payment to look for, and the newest block before its settlement. */
type Sought = Pick<PaymentRow, "asset" | "payer" | "nonce" | "fromBlock">;

/** Reads the logs of an event with the payment's nonce. */
async function logsOf(
  chain: PaymentChain,
  event: typeof authorizationUsed | typeof authorizationCanceled,
  { asset, payer, nonce, fromBlock }: Sought,
) {
  const first = (fromBlock ?? (await chain.getBlockNumber({ cacheTime: 0 })) - BLOCKS_BACK) - MAX_REORG_BLOCKS;
  return chain.getLogs({
    address: asset as Address,
    event,
    args: { authorizer: payer as Address, nonce: nonce as Hex },
    fromBlock: first > 0n ? first : 0n,
    toBlock: "latest",
  });
}

/**
 * Finds out whether a payment's nonce was used, and by which transaction the payment was settled. A used nonce is not
 * sufficient: the payer may have used it for another transfer. So the receipt must contain the expected Transfer event.
 */
export async function findUse(
  chain: PaymentChain,
  payment: Sought,
  { payTo, amount }: { payTo: string; amount: string },
): Promise<{ isUsed: boolean; settlement: Settlement | null }> {
  const { asset, payer } = payment;
  const logs = await logsOf(chain, authorizationUsed, payment);
  for (const { transactionHash } of logs) {
    const receipt = await chain.getTransactionReceipt({ hash: transactionHash });
    const paid = parseEventLogs({ abi: events, eventName: "Transfer", logs: receipt.logs }).some(
      ({ address: token, args }) =>
        token.toLowerCase() === asset &&
        args.from.toLowerCase() === payer &&
        args.to.toLowerCase() === payTo.toLowerCase() &&
        args.value === BigInt(amount),
    );
    const { status, blockNumber, blockHash } = receipt;
    if (status === "success" && paid)
      return { isUsed: true, settlement: { transaction: transactionHash, blockNumber, blockHash } };
  }
  return { isUsed: logs.length > 0, settlement: null };
}

/** Finds the transaction that settled a payment and its block, or null. */
export const findSettlement = async (...args: Parameters<typeof findUse>): Promise<Settlement | null> =>
  (await findUse(...args)).settlement;

/** Whether the payer canceled a payment on the payment network. */
export const wasCanceled = async (chain: PaymentChain, payment: Sought): Promise<boolean> =>
  (await logsOf(chain, authorizationCanceled, payment)).length > 0;
