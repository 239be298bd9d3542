import { type Address, type Hex, type PublicClient, parseAbi, parseEventLogs } from "viem";
import type { PaymentRow } from "./records";

/** What is asked of the payment network to find a payment on it. */
export type PaymentChain = Pick<PublicClient, "getBlockNumber" | "getLogs" | "getTransactionReceipt">;

const events = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);
const [authorizationUsed] = events;

/** How far back a payment is looked for when the block before its settlement is not known. */
const BLOCKS_BACK = 1_000n;

/**
 * The transaction that made a payment, or null when none has. That the payer's nonce is used up is not enough: it may have
 * been canceled, or used for a transfer to somebody else. So the transfer itself is looked for.
 */
export async function findSettlement(
  chain: PaymentChain,
  { asset, payer, nonce, fromBlock }: Pick<PaymentRow, "asset" | "payer" | "nonce" | "fromBlock">,
  { payTo, amount }: { payTo: string; amount: string },
): Promise<Hex | null> {
  const head = await chain.getBlockNumber({ cacheTime: 0 });
  const address = asset as Address;
  const logs = await chain.getLogs({
    address,
    event: authorizationUsed,
    args: { authorizer: payer as Address, nonce: nonce as Hex },
    fromBlock: fromBlock ?? (head > BLOCKS_BACK ? head - BLOCKS_BACK : 0n),
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
    if (receipt.status === "success" && paid) return transactionHash;
  }
  return null;
}
