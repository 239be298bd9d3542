import { createIntentryClient } from "intentry";
import { solver } from "intentry/market";
import { keccak256, toHex } from "viem";
import { sentenceOf, stopSignal, url, walletOf } from "./local.js";

// A solver on the local chain of `npm start`. It runs until Ctrl-C.
const signal = stopSignal();
const wallet = await walletOf(2);
const intentry = createIntentryClient({ url });

// Register with a bond, so that the fills count. A solver that ran before keeps its id.
const from = wallet.account.address;
async function ownSolver(): Promise<string> {
  const [known] = (await intentry.solvers.list({ operator: from, limit: 1 })).solvers;
  if (known) return known.solver_id;
  const metadata = { name: "Example solver", tags: ["swap"] };
  const action = await intentry.actions.registerSolver({ from, metadata, capabilities: "swap", bond: "1 ETH" });
  await intentry.send(wallet, action);
  return ownSolver();
}
console.log(`Solver ${await ownSolver()} bids on open intents as ${from}`);

await solver({
  intentry,
  wallet,
  signal,
  // Takes what the owner pays at most, and gives 1 % more than the owner wants at least. The fee of a bid is an integer whose
  // token the contract does not define; the parties agree on it. Here: 1 % of what the owner pays, in the same token.
  price({ amount_in_max, amount_out_min }) {
    const [amountIn, amountOut] = [BigInt(amount_in_max), (BigInt(amount_out_min) * 101n) / 100n];
    return { amountIn, amountOut, fee: amountIn / 100n };
  },
  // A real solver swaps here. The book moves no tokens, so the owner must be able to check the result by its hash.
  async execute({ intent_hash }, { amountOut }) {
    return { resultHash: keccak256(toHex(`${intent_hash} ${amountOut}`)), traceHash: intent_hash };
  },
  report(activity) {
    const { type, intentId } = activity;
    if (type === "bid") console.log(`Bid on intent ${intentId}`);
    if (type === "filled") console.log(`Filled intent ${intentId} in ${activity.transaction}`);
    if (type === "skipped") console.log(`Skipped intent ${intentId}: ${activity.reason}`);
    // Another solver may be faster, or the owner may cancel.
    if (type === "failed") console.log(`No bid or fill for intent ${intentId}: ${sentenceOf(activity.error)}`);
  },
});
