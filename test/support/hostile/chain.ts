import {
  type Account,
  type Address,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  maxUint256,
  zeroAddress,
  zeroHash,
} from "viem";
import { attestationRegistryAbi, intentBookAbi, multicallAbi, policyModuleAbi } from "../../../abis/index";
import { signIntent } from "../../../client/src/intents";
import { anyExecution } from "../../../common/intent";
import { type ContractName, protocolAbis } from "../../../config/contracts";
import { LOCAL_CHAIN_ID } from "../../../config/networks";
import { actor, mined } from "../../../stack/local/chain";
import type { Protocol } from "../../../stack/local/protocol";
import { hashOf } from "../../../stack/local/sample/people";
import { callWithBytes, hostileTexts } from "./texts";

export const MAX = maxUint256;
export const ALL_ONES: Hex = `0x${"ff".repeat(32)}`;
export const LAST_ADDRESS: Address = `0x${"ff".repeat(20)}`;

/** Of the events in one transaction, how many are attestations: for each, the indexer must read the contract. */
const ATTESTATIONS = 1_000;
export const EVENTS_IN_ONE_TRANSACTION = 5_000;
export const BIDS_ON_ONE_INTENT = 3_000;
const LINES_OF_ONE_SETTLEMENT = 500;

/** Enough for texts of 100 kB in storage, and for thousands of calls. */
const TEXT_GAS = 200_000_000n;
const BULK_GAS = 2_000_000_000n;

export const owner = actor(17);
const [solver, facilitator] = [actor(18), actor(19)];

type Text = { account: Account; contract: ContractName; functionName: string; args: unknown[] };

/** How many transactions with texts fit into the gas limit of a block. */
const TEXTS_PER_BLOCK = 16;

/**
 * Sends the transactions, many in a block: anvil hashes the whole storage for each block, which takes seconds once it
 * holds long texts.
 */
async function sendTexts({ client, contracts }: Protocol, texts: Text[]): Promise<void> {
  for (let start = 0; start < texts.length; start += TEXTS_PER_BLOCK) {
    const sent: Hex[] = [];
    await client.setAutomine(false);
    for (const { account, contract, functionName, args } of texts.slice(start, start + TEXTS_PER_BLOCK)) {
      const data = callWithBytes(protocolAbis[contract], functionName, args);
      sent.push(await client.sendTransaction({ account, to: contracts[contract], data, gas: TEXT_GAS }));
    }
    await client.mine({ blocks: 1 });
    await client.setAutomine(true);
    for (const hash of sent) await mined(client, Promise.resolve(hash));
  }
}

/** Registers every participant with every hostile text, by an account per text. Then each text replaces another one. */
export async function registerTexts(chain: Protocol): Promise<void> {
  const bytes = Object.values(hostileTexts);
  const registrations = bytes.flatMap((text, index): Text[] => {
    const account = actor(1 + index);
    const id = BigInt(index + 1);
    const registration = (contract: ContractName, functionName: string, ...args: unknown[]): Text => {
      return { account, contract, functionName, args };
    };
    return [
      registration("AgentRegistry", "registerAgent", text, text, hashOf("capabilities")),
      registration("SolverRegistry", "registerSolver", text, hashOf("capabilities")),
      registration("AttestorRegistry", "registerAttestor", text, hashOf("schemas")),
      registration("CommerceRegistry", "registerMerchant", account.address, text, hashOf("merchant")),
      registration("CommerceRegistry", "registerService", id, text, text, hashOf("service"), hashOf("capability")),
      registration("CommerceRegistry", "registerFacilitator", account.address, text, hashOf("facilitator")),
    ];
  });
  const updates = bytes.flatMap((text, index): Text[] => {
    const other = (index + 1) % bytes.length;
    const account = actor(1 + other);
    const id = BigInt(other + 1);
    return [
      { account, contract: "AgentRegistry", functionName: "updateAgent", args: [id, text, hashOf("updated")] },
      {
        account,
        contract: "CommerceRegistry",
        functionName: "updateService",
        args: [id, text, zeroHash, zeroHash, false],
      },
    ];
  });
  await sendTexts(chain, [...registrations, ...updates]);
}

export const LONG_AGENTS = 12;
export const ownerOfLongAgents = actor(16);

/** Registers agents of one owner whose texts have more than 1 MiB together. */
export function registerLongAgents(chain: Protocol): Promise<void> {
  const { long = "0x" } = hostileTexts;
  const registration: Text = {
    ...{ account: ownerOfLongAgents, contract: "AgentRegistry", functionName: "registerAgent" },
    args: [long, "0x04", zeroHash],
  };
  return sendTexts(chain, new Array<Text>(LONG_AGENTS).fill(registration));
}

/** Submits an intent of the owner with the largest values. */
async function submitIntent(chain: Protocol, nonce: bigint, execution = anyExecution): Promise<void> {
  const intent = {
    owner: owner.address,
    intentType: 0,
    constraints: { amountInMax: MAX, amountOutMin: 0n, deadline: MAX, slippageBps: 10_000 },
    execution,
    inputToken: LAST_ADDRESS,
    outputToken: LAST_ADDRESS,
    nonce,
  };
  const { IntentBook: intentBook } = chain.contracts;
  const signed = await signIntent(owner, intent, { intentBook, chainId: LOCAL_CHAIN_ID });
  await chain.write(solver, "IntentBook", "submitIntent", signed);
}

/** Uses 2^256 − 1, and other values with all bits set, wherever the contracts accept them. */
export async function useLargestValues(chain: Protocol): Promise<void> {
  const { write } = chain;
  await write(solver, "SolverRegistry", "registerSolver", ["solver", ALL_ONES], 10n ** 18n);
  const attestation = await write(solver, "AttestationRegistry", "submitAttestation", [ALL_ONES, ALL_ONES, ALL_ONES]);
  const attestationId = hexToBigInt(attestation.logs[0]?.topics[1] ?? "0x");
  await submitIntent(chain, MAX, {
    target: LAST_ADDRESS,
    dataHash: ALL_ONES,
    requiredAttestationSubject: ALL_ONES,
    requiredAttestationSchema: ALL_ONES,
    metadataURIHash: ALL_ONES,
  });
  await write(solver, "IntentBook", "submitBid", [1n, MAX, MAX, MAX, MAX, ALL_ONES]);
  await write(owner, "IntentBook", "selectBid", [1n, 1n]);
  const proof = { executionData: ALL_ONES, resultHash: ALL_ONES, traceHash: ALL_ONES, attestationId } as const;
  const fill = { amountIn: MAX, amountOut: MAX, solver: solver.address, ...proof };
  await write(solver, "IntentBook", "fillIntent", [1n, fill]);

  const policy = "PolicyModule";
  for (const token of [zeroAddress, LAST_ADDRESS]) {
    await write(owner, policy, "setSpendLimit", [token, MAX]);
    await write(owner, policy, "recordSpend", [token, MAX]);
  }
  await write(owner, policy, "setTargetAllowed", [LAST_ADDRESS, true]);
  await write(owner, policy, "setFunctionAllowed", [LAST_ADDRESS, "0xffffffff", true]);
  await write(owner, policy, "setPaymentPolicy", [LAST_ADDRESS, LAST_ADDRESS, LAST_ADDRESS, MAX, MAX, true]);
  const payment = [LAST_ADDRESS, LAST_ADDRESS, LAST_ADDRESS, MAX, ALL_ONES] as const;
  await write(owner, policy, "recordSignedPayment", payment);
  await write(owner, policy, "setGuardian", [LAST_ADDRESS]);

  const registry = "CommerceRegistry";
  await write(facilitator, registry, "registerFacilitator", [facilitator.address, "facilitator", ALL_ONES]);
  const merchantOwner = actor(1);
  for (const paymentNonce of [MAX, MAX - 1n]) {
    const quote = {
      ...{ merchantId: 1n, serviceNumericId: 1n, agent: LAST_ADDRESS, token: LAST_ADDRESS },
      ...{ facilitator: facilitator.address, amount: MAX, paymentRail: 3, expiresAt: MAX, paymentNonce },
      ...{ resourceHash: ALL_ONES, termsHash: ALL_ONES, x402PayloadHash: ALL_ONES },
    };
    await write(merchantOwner, registry, "commitQuote", [quote]);
    const quoteHash = await chain.read(registry, "computeQuoteHash", [quote]);
    await write(facilitator, registry, "recordReceipt", [quoteHash, ALL_ONES]);
  }
  await write(merchantOwner, registry, "recordFulfillment", [1n, ALL_ONES]);
  await write(merchantOwner, registry, "openDispute", [1n, ALL_ONES]);
  await write(merchantOwner, registry, "resolveDispute", [1n, 2, ALL_ONES]);
  const line = { kind: 255, recipient: LAST_ADDRESS, token: zeroAddress, amount: 1n, metadataHash: ALL_ONES } as const;
  const instruction = {
    ...{ quoteHash: ALL_ONES, settlementPlanHash: ALL_ONES, payer: owner.address, token: zeroAddress, deadline: MAX },
    ...{ grossAmount: BigInt(LINES_OF_ONE_SETTLEMENT), lines: new Array(LINES_OF_ONE_SETTLEMENT).fill(line) },
  };
  await write(owner, "SettlementAdapter", "executeSettlement", [instruction], instruction.grossAmount);
  for (const subjectType of [0, 1, 2, 3])
    await write(solver, registry, "recordTrustSignal", [subjectType, MAX, 3, ALL_ONES]);
}

type Call = { target: Address; value: bigint; data: Hex };

/** Makes many calls in one transaction, and returns its hash. */
async function aggregate({ client, contracts }: Protocol, calls: Call[]): Promise<Hex> {
  const data = encodeFunctionData({ abi: multicallAbi, functionName: "aggregate", args: [calls] });
  const sent = client.sendTransaction({ account: solver, to: contracts.Multicall, data, gas: BULK_GAS });
  return (await mined(client, sent)).transactionHash;
}

/** Emits thousands of events in one transaction. */
export function emitManyEvents(chain: Protocol): Promise<Hex> {
  const { AttestationRegistry, PolicyModule } = chain.contracts;
  const calls = Array.from({ length: EVENTS_IN_ONE_TRANSACTION }, (_, number): Call => {
    if (number < ATTESTATIONS) {
      const args = [hashOf(`schema ${number % 3}`), ALL_ONES, hashOf(String(number))] as const;
      const data = encodeFunctionData({ abi: attestationRegistryAbi, functionName: "submitAttestation", args });
      return { target: AttestationRegistry, value: 0n, data };
    }
    const token: Address = `0x${number.toString(16).padStart(40, "0")}`;
    const data = encodeFunctionData({ abi: policyModuleAbi, functionName: "setSpendLimit", args: [token, MAX] });
    return { target: PolicyModule, value: 0n, data };
  });
  return aggregate(chain, calls);
}

/** Submits an intent with this id, and bids on it in one transaction. Their amounts repeat after a hundred. */
export async function submitManyBids(chain: Protocol, id = 2n, bids = BIDS_ON_ONE_INTENT): Promise<Hex> {
  await submitIntent(chain, MAX - 1n);
  const calls = Array.from({ length: bids }, (_, number): Call => {
    const amount = MAX - BigInt(number % 100);
    const args = [id, amount, amount, MAX, MAX, ALL_ONES] as const;
    const data = encodeFunctionData({ abi: intentBookAbi, functionName: "submitBid", args });
    return { target: chain.contracts.IntentBook, value: 0n, data };
  });
  return aggregate(chain, calls);
}
