import { type Address, encodeFunctionData, type Hex, numberToHex, zeroAddress, zeroHash } from "viem";
import { signIntent } from "../client/src/intents";
import type { SignableIntent } from "../common/intent";
import { type QuoteCommitment, quoteHash } from "../common/quote-hash";
import { LOCAL_CHAIN_ID } from "../config/networks";
import { actor, type LocalChain, startChain } from "../stack/local/chain";
import type { Contracts } from "../stack/local/deploy";
import { deployedAbis } from "../stack/local/protocol";
import { hashOf } from "../stack/local/sample/people";
import { freePorts } from "../stack/roles/ports";

/** An unsigned transaction, which anvil sends for any account. */
type Call = { from: Address; to: Address; data: Hex; value?: Hex };

const FAR_FUTURE = 2n ** 40n;
const ONE_DAY_LIMIT = 2n ** 200n;
const intentOwner = actor(0);

/** A unique address for each role and round, because the registries allow one entry per operator. */
const addressOf = (role: string, round: number): Address => `0x${hashOf(`${role} ${round}`).slice(-40)}`;

/** The calls of one round. They emit every protocol event at least once. Ids derive from the round's number. */
async function round(contracts: Contracts, number: number): Promise<Call[]> {
  const n = BigInt(number);
  const id = n + 1n;
  const [owner, solver, merchant, facilitator] = ["owner", "solver", "merchant", "facilitator"].map((role) =>
    addressOf(role, number),
  ) as [Address, Address, Address, Address];
  const calls: Call[] = [];
  const call = (from: Address, name: keyof Contracts, functionName: string, ...args: unknown[]) => {
    const data = encodeFunctionData({ abi: deployedAbis[name], functionName, args } as never);
    calls.push({ from, to: contracts[name], data });
  };
  const hash = hashOf(String(number));
  const uri = `ipfs://round/${number}`;

  call(owner, "AgentRegistry", "registerAgent", uri, "0x04aabbccddeeff", hash);
  call(owner, "AgentRegistry", "updateAgent", id, `${uri}/updated`, hash);
  call(owner, "AgentRegistry", "revokeAgent", id);

  call(solver, "SolverRegistry", "registerSolver", uri, hash);
  call(solver, "SolverRegistry", "addBond", id);
  call(solver, "SolverRegistry", "updateSolver", id, uri, hash, true);
  call(owner, "AttestorRegistry", "registerAttestor", uri, hash);
  call(owner, "AttestorRegistry", "updateAttestor", id, uri, hash, true);
  call(owner, "AttestationRegistry", "submitAttestation", hash, hash, hash);
  call(owner, "AttestationRegistry", "revokeAttestation", id);

  const intent = (nonce: bigint): SignableIntent => ({
    owner: intentOwner.address,
    intentType: 0,
    constraints: { amountInMax: 1000n + n, amountOutMin: 900n, deadline: FAR_FUTURE, slippageBps: 50 },
    execution: {
      target: zeroAddress,
      dataHash: zeroHash,
      requiredAttestationSubject: zeroHash,
      requiredAttestationSchema: zeroHash,
      metadataURIHash: hash,
    },
    inputToken: contracts.TestDollar,
    outputToken: zeroAddress,
    nonce,
  });
  const filled = 2n * n + 1n;
  const cancelled = filled + 1n;
  for (const nonce of [filled, cancelled])
    call(
      solver,
      "IntentBook",
      "submitIntent",
      ...(await signIntent(intentOwner, intent(nonce), { intentBook: contracts.IntentBook, chainId: LOCAL_CHAIN_ID })),
    );
  call(solver, "IntentBook", "submitBid", filled, 1000n, 950n, 1n, FAR_FUTURE, hash);
  call(merchant, "IntentBook", "submitBid", filled, 1000n, 940n, 1n, FAR_FUTURE, hash);
  call(intentOwner.address, "IntentBook", "selectBid", filled, 2n);
  call(intentOwner.address, "IntentBook", "selectBid", filled, 1n);
  const proof = { executionData: "0x", resultHash: hash, traceHash: hash, attestationId: 0n } as const;
  call(solver, "IntentBook", "fillIntent", filled, { amountIn: 1000n, amountOut: 950n, solver, ...proof });
  call(intentOwner.address, "IntentBook", "cancelIntent", cancelled);

  const token = contracts.TestDollar;
  call(owner, "PolicyModule", "setSpendLimit", token, ONE_DAY_LIMIT);
  call(owner, "PolicyModule", "setTargetAllowed", token, true);
  call(owner, "PolicyModule", "setFunctionAllowed", token, "0xa9059cbb", true);
  call(owner, "PolicyModule", "setUseFunctionAllowlist", true);
  call(owner, "PolicyModule", "setGuardian", merchant);
  call(owner, "PolicyModule", "recordSpend", token, 5n);
  call(owner, "PolicyModule", "setPaymentPolicy", merchant, token, facilitator, 0n, 0n, true);
  call(owner, "PolicyModule", "recordSignedPayment", merchant, token, facilitator, 7n, hash);
  call(owner, "PolicyModule", "setAccountFrozen", owner, true);

  const registry = "CommerceRegistry";
  call(merchant, registry, "registerMerchant", merchant, uri, hash);
  call(merchant, registry, "updateMerchant", id, merchant, `${uri}/updated`, hash, true);
  call(merchant, registry, "registerService", id, "service", uri, hash, hash);
  call(merchant, registry, "updateService", id, uri, hash, hash, true);
  call(facilitator, registry, "registerFacilitator", facilitator, uri, hash);
  call(facilitator, registry, "updateFacilitator", id, uri, hash, true);
  const quote: QuoteCommitment = {
    merchantId: id,
    serviceNumericId: id,
    agent: owner,
    token,
    facilitator,
    amount: 100n + n,
    paymentRail: 3,
    expiresAt: FAR_FUTURE,
    paymentNonce: n,
    resourceHash: hash,
    termsHash: hash,
    x402PayloadHash: hash,
  };
  call(merchant, registry, "commitQuote", quote);
  call(facilitator, registry, "recordReceipt", quoteHash(LOCAL_CHAIN_ID, contracts.CommerceRegistry, quote), hash);
  call(merchant, registry, "recordFulfillment", id, hash);
  const line = { kind: 0, recipient: merchant, token: zeroAddress, amount: 1n, metadataHash: hash };
  const settlement = {
    ...{ quoteHash: hash, settlementPlanHash: hash, payer: intentOwner.address, token: zeroAddress, grossAmount: 1n },
    ...{ deadline: FAR_FUTURE, lines: [line] },
  };
  call(intentOwner.address, "SettlementAdapter", "executeSettlement", settlement);
  Object.assign(calls.at(-1) ?? {}, { value: numberToHex(1) });
  call(owner, registry, "openDispute", id, hash);
  call(merchant, registry, "resolveDispute", id, 1, hash);
  call(solver, registry, "recordTrustSignal", number % 4, id, number % 4, hash);
  return calls;
}

/** Starts a chain for many events. */
export async function startBulkChain(): Promise<{ chain: LocalChain; stop: () => Promise<void> }> {
  const [basePort = 0, port = 0] = await freePorts(2);
  const base = await startChain({ port: basePort });
  // A fork, because anvil then skips the state root of each block, which takes seconds on a large state.
  const chain = await startChain({ port, bulk: true, forkUrl: base.rpcUrl });
  return {
    chain,
    async stop() {
      await chain.child.stop();
      await base.child.stop();
    },
  };
}

const CALLS_PER_BLOCK = 250;

/** Sends transactions sequentially, because later ones depend on earlier ones, and mines them in large blocks. */
async function sendAll({ rpcUrl, client }: LocalChain, calls: Call[]): Promise<void> {
  const gas = numberToHex(2_000_000);
  for (const [index, call] of calls.entries()) {
    const params = [{ ...call, gas, gasPrice: "0x0" }];
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: index, method: "eth_sendTransaction", params }),
    });
    const { error } = (await response.json()) as { error?: { message: string } };
    if (error) throw new Error(error.message);
    if ((index + 1) % CALLS_PER_BLOCK === 0) await client.mine({ blocks: 1 });
  }
  await client.mine({ blocks: 1 });
}

/** Emits at least `count` events of all kinds, all by direct calls. Returns the number of events. */
export async function makeEvents(
  chain: LocalChain,
  contracts: Contracts,
  count: number,
  onProgress: (events: number) => void,
): Promise<number> {
  const { client } = chain;
  await client.setAutomine(false);
  await client.request({ method: "anvil_autoImpersonateAccount", params: [true] } as never);
  let events = 0;
  for (let number = 0; events < count; number += 10) {
    const calls: Call[] = [];
    for (let next = number; next < number + 10; next++) calls.push(...(await round(contracts, next)));
    const before = await client.getBlockNumber();
    await sendAll(chain, calls);
    const logs = await client.getLogs({ fromBlock: before + 1n, toBlock: await client.getBlockNumber() });
    if (logs.length < calls.length)
      throw new Error(`${calls.length} calls emitted only ${logs.length} events: some reverted`);
    events += logs.length;
    onProgress(events);
  }
  // Mine past Ponder's finality, so that the backfill includes all events.
  await client.mine({ blocks: 40 });
  return events;
}
