import { type Address, type Hex, zeroAddress } from "viem";
import type { QuoteCommitment } from "../../../common/quote-hash";
import type { actor } from "../../../stack/local/chain";
import type { Contracts } from "../../../stack/local/deploy";
import type { Instruction } from "../execution-hash";
import { type Call, type ContractName, type FunctionName, selectorOf } from "./calls";
import { type AccountPolicies, isWithinLimit, newPolicies } from "./policy-state";
import type { Random } from "./random";
import type { Text } from "./values";

export type Wallet = ReturnType<typeof actor>;

type Agent = { agentId: bigint; owner: Address; revoked: boolean };

type Attestation = { attestationId: bigint; attester: Address; schema: Hex; subject: Hex; revoked: boolean };

type Attestor = { attestorId: bigint; operator: Address };

type Solver = { solverId: bigint; operator: Address; bond: bigint; active: boolean };

type Bid = {
  bidId: bigint;
  solver: Address;
  amountIn: bigint;
  amountOut: bigint;
  validUntil: bigint;
  executionHash: Hex;
  wasSelected: boolean;
};

export type Intent = {
  intentId: bigint;
  owner: Address;
  nonce: bigint;
  amountInMax: bigint;
  amountOutMin: bigint;
  deadline: bigint;
  dataHash: Hex;
  requiredSubject: Hex;
  requiredSchema: Hex;
  open: boolean;
  bids: Bid[];
  selected: Bid | null;
};

export type Merchant = { merchantId: bigint; owner: Address; payoutAddress: Address };

export type Service = { serviceNumericId: bigint; merchant: Merchant; serviceId: Text };

export type Facilitator = { facilitatorId: bigint; facilitator: Address; registrant: Address; active: boolean };

export type Quote = { quoteHash: Hex; merchant: Merchant; commitment: QuoteCommitment; settled: boolean };

export type Receipt = { receiptId: bigint; quote: Quote; fulfilled: boolean };

export type Settlement = { executionHash: Hex; instruction: Instruction };

export type Dispute = { disputeId: bigint; receipt: Receipt; status: number };

/** A model of the chain's state, sufficient to choose legal actions. Nothing else may change the chain. */
export type World = {
  readonly random: Random;
  readonly contracts: Contracts;
  readonly chainId: number;
  /** The accounts with keys. The first is the signer of the policy account. */
  readonly wallets: readonly [Wallet, ...Wallet[]];
  /** All acting accounts: the wallets, the policy account and the multicall contract. */
  readonly participants: readonly Address[];
  /** The number of transactions that each wallet has sent. */
  readonly nonces: Map<Address, number>;
  /** The number of actions of each kind. */
  readonly happened: Map<string, number>;
  /** The time of the current block. */
  now: bigint;
  /** Whether the block is still empty, so that an action may move its time. */
  timeIsFree: boolean;
  /** Whether the current transaction consists of several calls by the multicall contract. */
  batching: boolean;
  agents: Agent[];
  attestations: Attestation[];
  attestors: Attestor[];
  solvers: Solver[];
  /** The accounts that have filled an intent, registered as a solver or not. */
  fillers: Set<Address>;
  intents: Intent[];
  policies: Map<Address, AccountPolicies>;
  merchants: Merchant[];
  services: Service[];
  facilitators: Facilitator[];
  quotes: Quote[];
  receipts: Receipt[];
  settlements: Settlement[];
  /** Settlements that a receipt names, and that are not executed yet. */
  plannedSettlements: Settlement[];
  disputes: Dispute[];
};

/** Remembers the state of the model. The returned function restores it, without the random numbers used since. */
export function rememberState(world: World): () => void {
  const { random, contracts, chainId, wallets, participants, ...state } = world;
  const remembered = structuredClone(state);
  return () => void Object.assign(world, structuredClone(remembered));
}

/** A kind of action. */
export type ActionKind = {
  name: string;
  /** Its relative frequency. */
  weight: number;
  /** Returns a legal action and applies it to the world. Returns null, and changes nothing, if there is none. */
  act: (world: World) => Call | null | Promise<Call | null>;
};

/** Ids are consecutive and start at 1. */
export const nextId = (existing: readonly unknown[]) => BigInt(existing.length + 1);

export function policiesOf(world: World, account: Address): AccountPolicies {
  const found = world.policies.get(account);
  if (found) return found;
  const made = newPolicies();
  world.policies.set(account, made);
  return made;
}

/** Whether `from` can make this call now: it is an acting account, and the policy account's policies allow it. */
export function mayReach(world: World, from: Address, to: Address, selector: Hex | null, value = 0n): boolean {
  const { Multicall, PolicyAccount } = world.contracts;
  if (!world.participants.includes(from)) return false;
  if (world.batching) return from === Multicall;
  if (from !== PolicyAccount) return true;
  const { frozen, targets, functions, useFunctionAllowlist } = policiesOf(world, from);
  if (frozen || !targets.get(to)) return false;
  if (useFunctionAllowlist && selector && !functions.get(`${to}-${selector}`)) return false;
  return value === 0n || isWithinLimit(policiesOf(world, from), zeroAddress, value, world.now);
}

export const may = <Name extends ContractName>(
  world: World,
  from: Address,
  name: Name,
  functionName: FunctionName<Name>,
  value = 0n,
): boolean => mayReach(world, from, world.contracts[name], selectorOf(name, functionName), value);

/** An account that can make this call now. */
export const anySender = <Name extends ContractName>(
  world: World,
  name: Name,
  functionName: FunctionName<Name>,
  value = 0n,
): Address | undefined =>
  world.random.pick(world.participants.filter((one) => may(world, one, name, functionName, value)));
