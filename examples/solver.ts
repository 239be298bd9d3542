import { createIntentryClient } from "intentry";
import { solver } from "intentry/market";
import { createWalletClient, http, keccak256, publicActions, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { foundry } from "viem/chains";

// A solver on the local chain of `npm start`. It runs until Ctrl-C. Usage: node solver.js [gateway URL] [RPC URL]
// The keys are anvil's public test keys.
const [, , url = "http://localhost:3001", rpcUrl = "http://localhost:8545"] = process.argv;
const account = mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex: 12 });
const wallet = createWalletClient({ account, chain: foundry, transport: http(rpcUrl) }).extend(publicActions);
const intentry = createIntentryClient({ url });

const stop = new AbortController();
for (const name of ["SIGINT", "SIGTERM"]) process.once(name, () => stop.abort());

await solver({
  intentry,
  wallet,
  signal: stop.signal,
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
    if (type === "failed") console.error(`Intent ${intentId} failed:`, activity.error);
    else console.log(JSON.stringify(activity));
  },
});
