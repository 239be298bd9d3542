import { createIntentryClient, eventNamed } from "intentry";
import { toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { mnemonic, url, walletOf } from "./local.js";

// A complete agent workflow on the local chain of `npm start`.
const [agent, solver] = [await walletOf(4), await walletOf(5)];
// Anvil's account 9 has test dollars.
const payer = mnemonicToAccount(mnemonic, { addressIndex: 9 });
const owner = agent.account.address;

const intentry = createIntentryClient({ url, payer });
const { contracts } = await intentry.protocol();

// Register the agent. Its metadata is published as a document.
const from_block = (await agent.getBlockNumber()) + 1n;
const about = { from: owner, metadata: { name: "Example agent", services: ["swaps"] }, pubkey: toHex("a public key") };
const registering = await intentry.actions.registerAgent({ ...about, capabilities: "swaps" });
const registered = await intentry.send(agent, registering);
console.log(`${registering.summary} ${registered.events.map(({ description }) => description).join(", ")}`);

// Submit an intent, which the agent signs, and store its metadata, which the agent signs too.
const execution_target = solver.account.address;
const tokens = { input_token: contracts.IntentBook, output_token: contracts.AgentRegistry };
const amounts = { amount_in_max: 1_000, amount_out_min: 900, slippage_bps: 50 };
const intent = await intentry.actions.submitIntent({ from: owner, ...tokens, ...amounts });
const submitted = await intentry.send(agent, intent);
const id = eventNamed(submitted.events, "IntentSubmitted").args.intentId;
const { intent_hash: hash } = await intentry.intents.get({ id });
const owner_signature = await intentry.signMetadata(agent.account, hash, { executionTarget: execution_target });
await intentry.intents.putMetadata({ id, execution_target, owner_signature });
const open = await intentry.waitForIntent(id, { status: "OPEN", timeoutMs: 30_000 });
console.log(`Intent ${open.intent_id} is ${open.status}, to be executed by ${open.metadata?.execution_target}`);

// Follow the intent from its submission on.
const following = (async () => {
  for await (const message of intentry.follow({ from_block, intent_id: id })) {
    if (message.type !== "event") continue;
    console.log(`live: ${message.data.summary}`);
    if (message.data.event === "IntentFilled") return;
  }
})();

// Our solver bids, the agent selects this bid, and the solver fills the intent. Other solvers may bid too.
const from = solver.account.address;
const bid = await intentry.actions.submitBid({ from, intent_id: id, amount_out: 950, fee: 1 });
const { events } = await intentry.send(solver, bid);
const bid_id = eventNamed(events, "SolverBidSubmitted").args.bidId;
await intentry.send(agent, await intentry.actions.selectBid({ from: owner, intent_id: id, bid_id }));
const fill = await intentry.actions.fillIntent({ from, intent_id: id, result_hash: hash, trace_hash: hash });
const filled = await intentry.send(solver, fill);
const done = await intentry.waitForIntent(id, { timeoutMs: 30_000 });
const outcome = filled.events.map(({ description }) => description).join("; ");
console.log(`${done.status} by ${done.fill?.solver}: ${outcome}`);
await following;

// Run a preflight check, and buy a portfolio snapshot of the payer.
const check = await intentry.preflight.check({ account: owner, target: contracts.IntentBook, value: 1 });
console.log(`Preflight: ${check.allowed ? "allowed" : check.reasons.join("; ")}`);
const { snapshot, payment } = await intentry.portfolio(payer.address, { chains: ["local"] });
console.log(`Worth $${snapshot.summary.totalValueUsd}, paid for in ${payment?.transaction}`);
