import { type Address, parseEventLogs } from "viem";
import { intentBookAbi } from "../../../abis/index";
import { anyExecution, type SignableIntent } from "../../../common/intent";
import type { IntentryClient } from "../index";
import { wait } from "../wait";
import { unusable } from "./fields";
import { senderOf, type Wallet } from "./wallet";

/** What a buyer swaps for the token of a quote. */
export type SwapOptions = {
  /** The token to give, and the most of it. */
  token: Address;
  maxAmount: bigint;
  /** How long solvers have. Default: 5 minutes. */
  seconds?: number;
};

const SECONDS = 300;
const POLL_MS = 100;

/** Submits an intent for at least an amount of a token, selects the best bid, and waits until it is filled. */
export async function swap(
  { intentry, wallet }: { intentry: IntentryClient; wallet: Wallet },
  wanted: { token: Address; amount: bigint },
  { token, maxAmount, seconds = SECONDS }: SwapOptions,
): Promise<void> {
  const { contracts } = await intentry.protocol();
  const send = senderOf(wallet);
  const book = { abi: intentBookAbi, address: contracts.IntentBook } as const;
  const { timestamp } = await wallet.getBlock();
  const deadline = timestamp + BigInt(seconds);
  const [nonce = 0n] = crypto.getRandomValues(new BigUint64Array(1));
  const intent: SignableIntent = {
    owner: wallet.account.address,
    intentType: 0,
    constraints: { amountInMax: maxAmount, amountOutMin: wanted.amount, deadline, slippageBps: 0 },
    execution: anyExecution,
    inputToken: token,
    outputToken: wanted.token,
    nonce,
  };
  const args = await intentry.signIntent(wallet, intent);
  const { logs } = await send(() => wallet.writeContract({ ...book, functionName: "submitIntent", args }));
  const [submitted] = parseEventLogs({ abi: intentBookAbi, eventName: "IntentSubmitted", logs });
  if (!submitted) throw unusable("The intent was not submitted");
  const { intentId } = submitted.args;
  const timeoutMs = seconds * 1000;
  const end = performance.now() + timeoutMs;
  await intentry.waitForIntent(intentId, { status: "OPEN", timeoutMs });
  for (;;) {
    const { bids } = await intentry.bids.list.query({ id: intentId, status: "open", limit: 10 });
    const best = bids.find(({ source }) => source === "onchain");
    if (best?.chain_bid_id) {
      const selection = [intentId, BigInt(best.chain_bid_id)] as const;
      await send(() => wallet.writeContract({ ...book, functionName: "selectBid", args: selection }));
      break;
    }
    if (performance.now() > end) throw unusable(`No solver bid on intent ${intentId} in time`);
    await wait(POLL_MS);
  }
  await intentry.waitForIntent(intentId, { timeoutMs });
}
