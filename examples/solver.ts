import { createIntentryClient } from "intentry";
import { solverRegistryAbi } from "intentry/abis";
import { solver } from "intentry/market";
import { keccak256, parseEther, toHex } from "viem";
import { mined, sentenceOf, stopSignal, url, walletOf } from "./local.js";

// A solver on the local chain of `npm start`. It runs until Ctrl-C.
const signal = stopSignal();
const wallet = await walletOf(2);
const intentry = createIntentryClient({ url });

// Register with a bond, so that the fills count. A solver that ran before keeps its id.
const { contracts } = await intentry.protocol();
const registry = { abi: solverRegistryAbi, address: contracts.SolverRegistry } as const;
const operator = [wallet.account.address] as const;
const idOf = () => wallet.readContract({ ...registry, functionName: "getSolverByOperator", args: operator });
if ((await idOf()) === 0n) {
  const { uri } = await intentry.publishCatalog(JSON.stringify({ name: "Example solver", tags: ["swap"] }));
  const [args, value] = [[uri, keccak256(toHex("swap"))] as const, parseEther("1")];
  await mined(wallet, wallet.writeContract({ ...registry, functionName: "registerSolver", args, value }));
}
console.log(`Solver ${await idOf()} bids on open intents as ${wallet.account.address}`);

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
