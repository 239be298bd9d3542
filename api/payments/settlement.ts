import { type Address, type Hex, type PublicClient, parseAbi, parseEventLogs } from "viem";
import type { PaymentRow } from "./records";

/** The RPC methods needed to check a payer and to find a payment on the payment network. */
export type PaymentChain = Pick<
  PublicClient,
  "call" | "getBlock" | "getBlockNumber" | "getChainId" | "getCode" | "getLogs" | "getTransactionReceipt"
>;

const events = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);
const [authorizationUsed] = events;

/** The transaction that settled a payment, and its block. */
export type Settlement = { transaction: Hex; blockNumber: bigint; blockHash: Hex };

/** Search range in blocks if the block before settlement is unknown. */
const BLOCKS_BACK = 1_000n;

/** After a reorg, the transfer may be in an earlier block than the newest one before settlement. No reorg is deeper. */
const MAX_REORG_BLOCKS = 256n;

/**
 * Finds the transaction that settled a payment and its block, or null. A used nonce is not sufficient: the payer may have canceled it or
 * used it for another transfer. So the receipt must contain the expected Transfer event.
 */
export async function findSettlement(
  chain: PaymentChain,
  { asset, payer, nonce, fromBlock }: Pick<PaymentRow, "asset" | "payer" | "nonce" | "fromBlock">,
  { payTo, amount }: { payTo: string; amount: string },
): Promise<Settlement | null> {
  const head = await chain.getBlockNumber({ cacheTime: 0 });
  const address = asset as Address;
  const first = fromBlock === null ? head - BLOCKS_BACK : fromBlock - MAX_REORG_BLOCKS;
  const logs = await chain.getLogs({
    address,
    event: authorizationUsed,
    args: { authorizer: payer as Address, nonce: nonce as Hex },
    fromBlock: first > 0n ? first : 0n,
    toBlock: "latest",
  });
  for (const { transactionHash } of logs) {
    const receipt = await chain.getTransactionReceipt({ hash: transactionHash });
    const paid = parseEventLogs({ abi: events, eventName: "Transfer", logs: receipt.logs }).some(
      ({ address: token, args }) =>
        token.toLowerCase() === asset &&
        args.from.toLowerCase() === payer &&
        args.to.toLowerCase() === payTo.toLowerCase() &&
        args.value === BigInt(amount),
    );
    if (receipt.status === "success" && paid)
      return { transaction: transactionHash, blockNumber: receipt.blockNumber, blockHash: receipt.blockHash };
  }
  return null;
}
