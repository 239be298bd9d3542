import type { Address } from "viem";
import { contractNames } from "../../config/contracts";
import { actor, type ChainConnection } from "../../stack/local/chain";
import type { Protocol } from "../../stack/local/protocol";
import { agentActions } from "./actions/agents";
import { attestationActions } from "./actions/attestations";
import { type Call, call } from "./actions/calls";
import { intentActions } from "./actions/intents";
import { merchantActions } from "./actions/merchants";
import { policyActions, setTargetAllowed } from "./actions/policies";
import { quoteActions } from "./actions/quotes";
import { seededRandom } from "./actions/random";
import { receiptActions } from "./actions/receipts";
import { aggregate, mineBlock, type Transaction, transactionFor } from "./actions/sending";
import { settlementActions } from "./actions/settlements";
import { solverActions } from "./actions/solvers";
import { bookExecution, spendingActions } from "./actions/spending";
import { payee } from "./actions/values";
import { type ActionKind, may, type World } from "./actions/world";

const kinds: ActionKind[] = [
  ...agentActions,
  ...attestationActions,
  ...solverActions,
  ...intentActions,
  ...policyActions,
  ...spendingActions,
  ...merchantActions,
  ...quoteActions,
  ...receiptActions,
  ...settlementActions,
];

/** Actions that change policies or spend under them. */
export const policyKinds: readonly ActionKind[] = [...policyActions, ...spendingActions];

type Options = {
  count: number;
  /** The kinds of action to choose from. Default: all. */
  among?: readonly ActionKind[];
} & ({ seed: number } | { after: World });

/**
 * Sends `count` random legal actions. The same seed generates the same actions. A run with a seed starts on a chain that has
 * only the deployment. `after` continues an earlier run on the same chain.
 *
 * @example
 * const world = await runLegalActions(stack, { seed: 7, count: 100 });
 * await runLegalActions(stack, { after: world, count: 100 });
 */
export async function runLegalActions(protocol: Protocol, options: Options): Promise<World> {
  const { client } = protocol;
  await client.setAutomine(false);
  try {
    const world = "after" in options ? options.after : await newWorld(protocol, options.seed);
    await mineActions(world, client, options.count, options.among);
    return world;
  } finally {
    await client.setAutomine(true);
  }
}

/** Mines blocks with `count` random legal actions. Automine must be off. */
export async function mineActions(
  world: World,
  client: ChainConnection,
  count: number,
  among: readonly ActionKind[] = kinds,
): Promise<void> {
  for (let left = count; left > 0; ) left -= await makeBlock(world, among, client, left);
}

/** The names of the kinds of action that have not happened. */
export const missingKinds = ({ happened }: World): string[] =>
  kinds.map(({ name }) => name).filter((name) => !happened.has(name));

const DAY = 86_400n;

/** A time in the future (2033), so that a seed generates the same times on any day. */
const FIRST_ACTION = 2_000_000_000n;

/** The model of a chain that has only the deployment. Automine must be off. */
export async function newWorld({ client, contracts }: Protocol, seed: number): Promise<World> {
  const wallets = [actor(1), actor(2), actor(3), actor(4), actor(5), actor(6), actor(7), actor(8)] as const;
  const world: World = {
    random: seededRandom(seed),
    contracts,
    chainId: client.chain.id,
    wallets,
    participants: [...wallets.map(({ address }) => address), contracts.PolicyAccount, contracts.Multicall],
    nonces: new Map<Address, number>(),
    happened: new Map<string, number>(),
    now: FIRST_ACTION,
    timeIsFree: false,
    batching: false,
    agents: [],
    attestations: [],
    attestors: [],
    solvers: [],
    fillers: new Set(),
    intents: [],
    policies: new Map(),
    merchants: [],
    services: [],
    facilitators: [],
    quotes: [],
    receipts: [],
    settlements: [],
    plannedSettlements: [],
    disputes: [],
  };
  for (const { address } of wallets) world.nonces.set(address, await client.getTransactionCount({ address }));
  await equipPolicyAccount(world, client);
  return world;
}

/** Gives the policy account coins and tokens, and allows it to call the contracts and a payee. */
async function equipPolicyAccount(world: World, client: ChainConnection): Promise<void> {
  const { PolicyAccount, TestDollar, Multicall } = world.contracts;
  const [signer] = world.wallets;
  const calls: Call[] = [
    { from: signer.address, to: PolicyAccount, data: "0x", value: 10n ** 20n },
    call(world, signer.address, "TestDollar", "mint", [PolicyAccount, 10n ** 30n]),
  ];
  const targets = [...contractNames.map((name) => world.contracts[name]), TestDollar, Multicall, payee];
  for (const target of targets) calls.push(setTargetAllowed(world, PolicyAccount, target, true));
  for (const one of calls) {
    world.now += 1n;
    await mineBlock(world, client, [transactionFor(world, one, ["equip the policy account"])]);
  }
}

/** Mines one block of at most `most` actions, and returns their number. */
async function makeBlock(
  world: World,
  among: readonly ActionKind[],
  client: ChainConnection,
  most: number,
): Promise<number> {
  const { random } = world;
  passTime(world);
  const size = random.chance(0.85) ? 1 : 2 + random.below(3);
  const transactions: Transaction[] = [];
  let made = 0;
  while (transactions.length < size && made < most) {
    world.timeIsFree = transactions.length === 0;
    const transaction = random.chance(0.15)
      ? await makeBatch(world, among, most - made)
      : await makeTransaction(world, among);
    transactions.push(transaction);
    made += transaction.actions.length;
  }
  await mineBlock(world, client, transactions);
  return made;
}

/** Mostly a few seconds, sometimes hours, or close to the end of an intent, a bid or a quote. */
function passTime(world: World): void {
  const { random, now } = world;
  const chosen = random.below(100);
  const soon = now + BigInt(1 + random.below(30));
  if (chosen < 80) world.now = soon;
  else if (chosen < 90) world.now += BigInt(1 + random.below(8 * 3_600));
  else {
    const ends = [
      ...world.intents.flatMap(({ deadline, bids }) => [deadline, ...bids.map(({ validUntil }) => validUntil)]),
      ...world.quotes.map(({ commitment }) => commitment.expiresAt),
    ].filter((end) => end > now + 1n && end < now + DAY);
    const end = random.pick(ends);
    world.now = end === undefined ? soon : end - 1n + BigInt(random.below(3));
  }
}

async function makeTransaction(world: World, among: readonly ActionKind[]): Promise<Transaction> {
  const { name, action } = await nextAction(world, among);
  return transactionFor(world, action, [name]);
}

/** Several actions in one transaction, of one kind or mixed. Each is a call by the multicall contract. */
async function makeBatch(world: World, among: readonly ActionKind[], most: number): Promise<Transaction> {
  const { random, contracts, wallets } = world;
  const account = contracts.PolicyAccount;
  const accountMayRelay = random.chance(0.3) && may(world, account, "Multicall", "aggregate");
  world.batching = true;
  world.timeIsFree = false;
  try {
    const size = Math.min(most, 2 + random.below(4));
    const sameKind = random.chance(0.4);
    const made: Action[] = [];
    while (made.length < size) made.push(await nextAction(world, among, sameKind ? made[0]?.name : undefined));
    const calls = made.map(({ action }) => action);
    const relayer =
      accountMayRelay && calls.every(({ value }) => value === 0n) ? account : random.pick(wallets).address;
    const names = made.map(({ name }) => name);
    return transactionFor(world, aggregate(world, relayer, calls), names);
  } finally {
    world.batching = false;
  }
}

type Action = { name: string; action: Call };

/** A legal action, of the preferred kind if possible. */
async function nextAction(world: World, among: readonly ActionKind[], preferred?: string): Promise<Action> {
  let left = among;
  while (left.length > 0) {
    const kind = left.find(({ name }) => name === preferred) ?? choose(world, left);
    const action = await kind.act(world);
    if (action) {
      world.happened.set(kind.name, (world.happened.get(kind.name) ?? 0) + 1);
      if (action.from === world.contracts.PolicyAccount) bookExecution(world, action);
      return { name: kind.name, action };
    }
    left = left.filter((other) => other !== kind);
  }
  throw new Error("No action is legal");
}

/** Chooses by weight, and sometimes a kind that happened least, so that every kind happens. */
function choose({ random, happened }: World, from: readonly ActionKind[]): ActionKind {
  const times = ({ name }: ActionKind) => happened.get(name) ?? 0;
  const least = Math.min(...from.map(times));
  const among = random.chance(0.5) ? from.filter((kind) => times(kind) === least) : from;
  const tickets = among.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  const kind = random.pick(tickets);
  if (!kind) throw new Error("No kind of action to choose from");
  return kind;
}
