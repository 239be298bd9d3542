import { eip3009ABI } from "@x402/evm";
import {
  type Address,
  BaseError,
  ExecutionRevertedError,
  encodeFunctionData,
  type Hex,
  hexToNumber,
  type PublicActions,
  parseAbi,
  parseEventLogs,
  size,
  slice,
} from "viem";
import type { Payment } from "./payload";
import type { PaymentRow } from "./records";
import { EXPIRED, NOT_YET_VALID, PaymentRejected, rejection } from "./rejections";

/** The payment network. */
export type PaymentChain = PublicActions;

const events = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);
const [authorizationUsed, authorizationCanceled] = events;

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
export async function findUse(chain: PaymentChain, payment: Sought, terms: { payTo: string; amount: string }) {
  const { asset, payer } = payment;
  const payTo = terms.payTo.toLowerCase();
  const logs = await logsOf(chain, authorizationUsed, payment);
  for (const { transactionHash: transaction } of logs) {
    const { status, blockNumber, blockHash, ...receipt } = await chain.getTransactionReceipt({ hash: transaction });
    const isPaid = parseEventLogs({ abi: events, eventName: "Transfer", logs: receipt.logs }).some(
      ({ address: token, args: { from, to, value } }) =>
        [token, from, to].every((party, index) => party.toLowerCase() === [asset, payer, payTo][index]) &&
        value === BigInt(terms.amount),
    );
    if (status === "success" && isPaid) return { isUsed: true, settlement: { transaction, blockNumber, blockHash } };
  }
  return { isUsed: logs.length > 0, settlement: undefined };
}

/** Whether the payer canceled a payment. */
export const wasCanceled = async (chain: PaymentChain, payment: Sought): Promise<boolean> =>
  (await logsOf(chain, authorizationCanceled, payment)).length > 0;

const isoTime = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString();

/**
 * Why the token rejects the transfer of a payment now. Undefined if it does not. The time of the newest block can differ
 * from the clock: a chain may have stood still, and a development chain's time can be moved. `code` is for other reasons.
 */
export async function transferProblem(
  chain: PaymentChain,
  { authorization, signature, key }: Payment,
  code: string,
): Promise<PaymentRejected | undefined> {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const token = { address: key.asset as Address, abi: eip3009ABI };
  const terms = [from, to, value, validAfter, validBefore, nonce] as const;
  // Not every token has the function for signatures of contracts.
  const isByKey = size(signature) === 65;
  const v = isByKey ? hexToNumber(slice(signature, 64)) : 0;
  const args = isByKey
    ? ([...terms, v < 27 ? v + 27 : v, slice(signature, 0, 32), slice(signature, 32, 64)] as const)
    : ([...terms, signature] as const);
  const data = encodeFunctionData({ ...token, functionName: "transferWithAuthorization", args });
  try {
    await chain.call({ to: token.address, data });
    return undefined;
  } catch (error) {
    if (!(error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError))) throw error;
  }
  const [{ timestamp }, isUsed, balance] = await Promise.all([
    chain.getBlock(),
    chain.readContract({ ...token, functionName: "authorizationState", args: [from, nonce] }),
    chain.readContract({ ...token, functionName: "balanceOf", args: [from] }),
  ]);
  const rejected = "The payment is not accepted: on the payment network it";
  const newest = `Its newest block has the time ${isoTime(timestamp)}`;
  if (timestamp <= validAfter)
    return new PaymentRejected(
      `${rejected} is not valid yet. ${newest}, and the payment is valid after ${isoTime(validAfter)}; wait for a newer block, or sign an earlier validAfter`,
      NOT_YET_VALID,
    );
  if (timestamp >= validBefore)
    return new PaymentRejected(
      `${rejected} has expired. ${newest}, and the payment is valid before ${isoTime(validBefore)}; sign a later validBefore`,
      EXPIRED,
    );
  if (isUsed) return rejection("invalid_exact_evm_nonce_already_used");
  return rejection(balance < value ? "invalid_exact_evm_insufficient_balance" : code);
}
