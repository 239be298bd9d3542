import { anyExecution, createIntentryClient, intentHash, type SignableIntent } from "intentry";
import { agentRegistryAbi, intentBookAbi } from "intentry/abis";
import { keccak256, parseEventLogs, toHex } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { mined, mnemonic, url, walletOf } from "./local.js";

// A complete agent workflow on the local chain of `npm start`.
const [agent, solver] = [await walletOf(4), await walletOf(5)];
// Anvil's account 9 has test dollars.
const payer = mnemonicToAccount(mnemonic, { addressIndex: 9 });
const owner = agent.account.address;

const intentry = createIntentryClient({ url, payer });
const { contracts } = await intentry.protocol();
const book = { abi: intentBookAbi, address: contracts.IntentBook } as const;

// Register the agent and publish its catalog.
const from_block = (await agent.getBlockNumber()) + 1n;
const registry = { abi: agentRegistryAbi, address: contracts.AgentRegistry } as const;
const registration = ["ipfs://agent", toHex("a public key"), keccak256(toHex("swaps"))] as const;
await mined(agent, agent.writeContract({ ...registry, functionName: "registerAgent", args: registration }));
const catalog = await intentry.publishCatalog(JSON.stringify({ agent: owner, services: ["swaps"] }));
console.log(`The catalog is at ${catalog.uri}`);

// Reserve the intent's metadata, signed by the owner, so that solvers can read it immediately. Then submit the intent.
const { timestamp } = await agent.getBlock();
const intent: SignableIntent = {
  owner,
  intentType: 0,
  constraints: { amountInMax: 1_000n, amountOutMin: 900n, deadline: timestamp + 3_600n, slippageBps: 50 },
  execution: anyExecution,
  inputToken: contracts.IntentBook,
  outputToken: contracts.AgentRegistry,
  nonce: BigInt(Date.now()),
};
const hash = intentHash(intent);
const execution_target = solver.account.address;
const owner_signature = await intentry.signMetadata(agent.account, hash, { executionTarget: execution_target });
await intentry.intents.reserveMetadata({ intent_hash: hash, owner, execution_target, owner_signature });
const args = await intentry.signIntent(agent.account, intent);
const submitted = await mined(agent, agent.writeContract({ ...book, functionName: "submitIntent", args }));
const [log] = parseEventLogs({ abi: intentBookAbi, eventName: "IntentSubmitted", logs: submitted.logs });
const id = log?.args.intentId ?? 0n;
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
const bid = [id, 1_000n, 950n, 1n, timestamp + 3_600n, keccak256(toHex("plan"))] as const;
const bidding = await mined(solver, solver.writeContract({ ...book, functionName: "submitBid", args: bid }));
const [ours] = parseEventLogs({ abi: intentBookAbi, eventName: "SolverBidSubmitted", logs: bidding.logs });
const chosen = [id, ours?.args.bidId ?? 0n] as const;
await mined(agent, agent.writeContract({ ...book, functionName: "selectBid", args: chosen }));
const proof = { executionData: "0x", resultHash: hash, traceHash: hash, attestationId: 0n } as const;
const fill = { amountIn: 1_000n, amountOut: 950n, solver: solver.account.address, ...proof };
const filled = await mined(solver, solver.writeContract({ ...book, functionName: "fillIntent", args: [id, fill] }));
const done = await intentry.waitForIntent(id, { timeoutMs: 30_000 });
const { summary } = await intentry.transactions.explain({ hash: filled.transactionHash });
console.log(`${done.status} by ${done.fill?.solver}: ${summary}`);
await following;

// Run a preflight check, and buy a portfolio snapshot of the payer.
const check = await intentry.preflight.check({ account: owner, target: contracts.IntentBook, value: 1 });
console.log(`Preflight: ${check.allowed ? "allowed" : check.reasons.join("; ")}`);
const { snapshot, payment } = await intentry.portfolio(payer.address, { chains: ["local"] });
console.log(`Worth $${snapshot.summary.totalValueUsd}, paid for in ${payment?.transaction}`);
