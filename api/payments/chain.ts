import { eip3009ABI } from "@x402/evm";
import {
  BaseError,
  ExecutionRevertedError,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  type PublicActions,
  parseAbi,
  parseErc6492Signature,
  parseEventLogs,
  parseSignature,
  size,
} from "viem";
import type { Payment } from "./payload";
import { EXPIRED, NOT_YET_VALID, PaymentRejected, rejection } from "./rejections";

/** The payment network. */
export type PaymentChain = PublicActions;

const [authorizationUsed, authorizationCanceled, transfer] = parseAbi([
  "event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)",
  "event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)",
  "event Transfer(address indexed from, address indexed to, uint256 value)",
]);

/** Search range in blocks if the block before settlement is unknown. */
const BLOCKS_BACK = 1_000n;

/** After a reorg, the transfer may be in an earlier block than the newest one before settlement. No reorg is deeper. */
const MAX_REORG_BLOCKS = 256n;

/** Reads the logs of an event with a payment's nonce. `fromBlock` is the newest block before its settlement. */
async function logsOf(
  chain: PaymentChain,
  event: typeof authorizationUsed | typeof authorizationCanceled,
  { token: address, authorization: { from: authorizer, nonce } }: Payment,
  fromBlock: bigint | null,
) {
  const first = (fromBlock ?? (await chain.getBlockNumber({ cacheTime: 0 })) - BLOCKS_BACK) - MAX_REORG_BLOCKS;
  const range = { fromBlock: first > 0n ? first : 0n, toBlock: "latest" } as const;
  return chain.getLogs({ address, event, args: { authorizer, nonce }, ...range });
}

/**
 * Finds out whether a payment's nonce was used, and by which transaction the payment was settled. A used nonce is not
 * sufficient: the payer may have used it for another transfer. So the receipt must contain the expected Transfer event.
 */
export async function findUse(chain: PaymentChain, payment: Payment, since: bigint | null) {
  const { from, to, value } = payment.authorization;
  const logs = await logsOf(chain, authorizationUsed, payment, since);
  for (const { transactionHash: transaction } of logs) {
    const { status, blockNumber, blockHash, ...receipt } = await chain.getTransactionReceipt({ hash: transaction });
    const paid = parseEventLogs({ abi: [transfer], args: { from, to, value }, logs: receipt.logs });
    if (status === "success" && paid.some(({ address }) => isAddressEqual(address, payment.token)))
      return { isUsed: true, settlement: { transaction, blockNumber, blockHash } };
  }
  return { isUsed: logs.length > 0, settlement: undefined };
}

/** Whether the payer canceled a payment. */
export const wasCanceled = async (chain: PaymentChain, payment: Payment, since: bigint | null): Promise<boolean> =>
  (await logsOf(chain, authorizationCanceled, payment, since)).length > 0;

const isoTime = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString();

/** The parts of a key's signature. A contract's signature may have the same length. */
function keySignature(signature: Hex) {
  if (size(signature) !== 65) return undefined;
  try {
    return parseSignature(signature);
  } catch {
    return undefined;
  }
}

/**
 * Why the token rejects the transfer of a payment now. Undefined if it does not. The time of the newest block can differ
 * from the clock: a chain may have stood still, and a development chain's time can be moved. `code` is for other reasons.
 */
export async function transferProblem(chain: PaymentChain, { authorization, signature, token }: Payment, code: string) {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const signed = [from, to, value, validAfter, validBefore, nonce] as const;
  // The token does not know ERC-6492: it gets the signature within. An account that is not deployed can't pay.
  const { signature: inner } = parseErc6492Signature(signature);
  // Not every token has the function for signatures of contracts.
  const key = keySignature(inner);
  const args = key ? ([...signed, 27 + key.yParity, key.r, key.s] as const) : ([...signed, inner] as const);
  const data = encodeFunctionData({ abi: eip3009ABI, functionName: "transferWithAuthorization", args });
  // One block, also behind a load balancer whose nodes differ.
  const { timestamp, number: blockNumber } = await chain.getBlock();
  try {
    await chain.call({ to: token, data, blockNumber });
    return undefined;
  } catch (error) {
    if (!(error instanceof BaseError && error.walk((cause) => cause instanceof ExecutionRevertedError))) throw error;
  }
  const contract = { address: token, abi: eip3009ABI, blockNumber };
  const [isUsed, balance] = await Promise.all([
    chain.readContract({ ...contract, functionName: "authorizationState", args: [from, nonce] }),
    chain.readContract({ ...contract, functionName: "balanceOf", args: [from] }),
  ]);
  const rejected = "The payment is not accepted: on the payment network it";
  const newest = `Its newest block has the time ${isoTime(timestamp)}, and the payment is valid`;
  const early = `${rejected} is not valid yet. ${newest} after ${isoTime(validAfter)}; wait for a newer block, or sign an earlier validAfter`;
  const late = `${rejected} has expired. ${newest} before ${isoTime(validBefore)}; sign a later validBefore`;
  if (timestamp <= validAfter) return new PaymentRejected(early, NOT_YET_VALID);
  if (timestamp >= validBefore) return new PaymentRejected(late, EXPIRED);
  if (isUsed) return rejection("invalid_exact_evm_nonce_already_used");
  return rejection(balance < value ? "invalid_exact_evm_insufficient_balance" : code);
}
