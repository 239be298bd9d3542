import { anyExecution, createIntentryClient, intentHash, type SignableIntent } from "intentry";
import { agentRegistryAbi, intentBookAbi } from "intentry/abis";
import { createWalletClient, type Hex, http, keccak256, parseEventLogs, publicActions, toHex, withRetry } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { foundry } from "viem/chains";

// A complete agent workflow on the local chain of `npm start`. Usage: node agent.js [gateway URL] [RPC URL]
// The keys are anvil's public test keys.
declare const process: { argv: string[] };
const [, , url = "http://localhost:3001", rpcUrl = "http://localhost:8545"] = process.argv;
const mnemonic = "test test test test test test test test test test test junk";
const walletOf = (addressIndex: number) => {
  const account = mnemonicToAccount(mnemonic, { addressIndex });
  return createWalletClient({ account, chain: foundry, transport: http(rpcUrl) }).extend(publicActions);
};
const [agent, solver, payer] = [walletOf(1), walletOf(3), walletOf(9)] as const;
const owner = agent.account.address;
const mined = async (sent: Promise<Hex>) => {
  const hash = await sent; // Polls, because viem's own wait checks only when a new block arrives.
  return withRetry(() => agent.getTransactionReceipt({ hash }), { delay: 100, retryCount: 300 });
};

const intentry = createIntentryClient({ url, payer: payer.account });
const { contracts } = await intentry.protocol();
const book = { abi: intentBookAbi, address: contracts.IntentBook } as const;

// Subscribe to all events from the next block on.
const filledSignal = new AbortController();
const events: string[] = [];
const from_block = (await agent.getBlockNumber()) + 1n;
const following = (async () => {
  for await (const message of intentry.follow({ from_block }, { signal: filledSignal.signal })) {
    if (message.type !== "event") continue;
    events.push(message.data.event);
    console.log(`live: ${message.data.summary}`);
    if (message.data.event === "IntentFilled") filledSignal.abort();
  }
})();
// Register the agent and publish its catalog.
const registry = { abi: agentRegistryAbi, address: contracts.AgentRegistry } as const;
const registration = ["ipfs://agent", toHex("a public key"), keccak256(toHex("swaps"))] as const;
await mined(agent.writeContract({ ...registry, functionName: "registerAgent", args: registration }));
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
await intentry.intents.reserveMetadata.mutate({ intent_hash: hash, owner, execution_target, owner_signature });
const args = await intentry.signIntent(agent.account, intent);
const submitted = await mined(agent.writeContract({ ...book, functionName: "submitIntent", args }));
const [log] = parseEventLogs({ abi: intentBookAbi, eventName: "IntentSubmitted", logs: submitted.logs });
const id = log?.args.intentId ?? 0n;
const open = await intentry.waitForIntent(id, { status: "OPEN", pollMs: 100 });
console.log(`Intent ${open.intent_id} is ${open.status}, to be executed by ${open.metadata?.execution_target}`);

// A solver bids, the agent selects the best bid, and the solver fills the intent.
const bid = [id, 1_000n, 950n, 1n, timestamp + 3_600n, keccak256(toHex("plan"))] as const;
await mined(solver.writeContract({ ...book, functionName: "submitBid", args: bid }));
const bestBid = async (): Promise<string> =>
  (await intentry.bids.list.query({ id, limit: 1 })).bids[0]?.chain_bid_id ?? bestBid();
const chosen = [id, BigInt(await bestBid())] as const;
await mined(agent.writeContract({ ...book, functionName: "selectBid", args: chosen }));
const proof = { executionData: "0x", resultHash: hash, traceHash: hash, attestationId: 0n } as const;
const fill = { amountIn: 1_000n, amountOut: 950n, solver: solver.account.address, ...proof };
const filled = await mined(solver.writeContract({ ...book, functionName: "fillIntent", args: [id, fill] }));
const done = await intentry.waitForIntent(id, { timeoutMs: 30_000, pollMs: 100 });
const { summary } = await intentry.transactions.explain.query({ hash: filled.transactionHash });
console.log(`${done.status} by ${done.fill?.solver}: ${summary}`);
await following;
// Run a preflight check, and buy a portfolio snapshot of the payer.
const check = await intentry.preflight.check.query({ account: owner, target: contracts.IntentBook, value: 1 });
console.log(`Preflight: ${check.allowed ? "allowed" : check.reasons.join("; ")}`);
const { snapshot, payment } = await intentry.portfolio(payer.account.address, { chains: ["local"] });
console.log(`Worth $${snapshot.summary.totalValueUsd}, paid for in ${payment?.transaction}`);
console.log(
  JSON.stringify({ id: String(id), events, transaction: payment?.transaction, catalog: catalog.catalog_hash }),
);
