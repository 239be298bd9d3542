import { type Address, type Hex, hexToBigInt, maxUint256, size, slice, zeroAddress } from "viem";
import { type Call, call, selectorOf } from "./calls";
import { book, isWithinLimit, mostToPay, mostToRecord, recordSpend, type SpendWindow, windowEnd } from "./policy-state";
import { amountUpTo, anyBytes, payee } from "./values";
import { type ActionKind, may, mayReach, policiesOf, type World } from "./world";

const canRecordSpend = (world: World) =>
  world.participants.filter((account) => may(world, account, "PolicyModule", "recordSpend"));

/** Mostly small amounts, so that many fit into a daily limit. */
const anySpend = ({ random }: World, most: bigint) =>
  amountUpTo(random, random.chance(0.8) && most > 1_000n ? 1_000n : most);

function spend(world: World, account: Address, token: Address): Call {
  const policies = policiesOf(world, account);
  const amount = anySpend(world, mostToRecord(policies.spendLimits.get(token), world.now));
  recordSpend(policies, token, amount, world.now);
  return call(world, account, "PolicyModule", "recordSpend", [token, amount]);
}

/** The accounts that can pay now, each with a payment policy that allows it. */
const payable = (world: World) =>
  world.participants
    .filter((one) => !policiesOf(world, one).frozen && may(world, one, "PolicyModule", "recordSignedPayment"))
    .flatMap((account) =>
      [...policiesOf(world, account).paymentPolicies.values()].map((policy) => ({ account, policy })),
    )
    .filter(({ policy }) => mostToPay(policy, world.now) !== null);

function pay(world: World, { account, policy }: ReturnType<typeof payable>[number]): Call {
  const amount = anySpend(world, mostToPay(policy, world.now) ?? 0n);
  const { merchant, token, facilitator } = policy;
  book(policy, amount, world.now);
  const args = [merchant, token, facilitator, amount, anyBytes(world.random, 32)] as const;
  return call(world, account, "PolicyModule", "recordSignedPayment", args);
}

/** Moves the block's time to the last second of a window, or to the first one after it. */
function moveToEnd(world: World, window: SpendWindow): void {
  world.now = windowEnd(window) - (world.random.chance(0.5) ? 1n : 0n);
}

const endsLater =
  ({ now }: World) =>
  (window: SpendWindow) =>
    window.since > 0n && windowEnd(window) - 1n >= now;

export const spendingActions: ActionKind[] = [
  {
    name: "record a spend under a limit",
    weight: 5,
    act(world) {
      const limits = canRecordSpend(world).flatMap((account) =>
        [...policiesOf(world, account).spendLimits.values()]
          .filter(({ maxPerDay }) => maxPerDay > 0n)
          .map(({ token }) => ({ account, token })),
      );
      const chosen = world.random.pick(limits);
      return chosen ? spend(world, chosen.account, chosen.token) : null;
    },
  },
  {
    name: "record a spend without a limit",
    weight: 1,
    act(world) {
      const account = world.random.pick(
        canRecordSpend(world).filter((one) => !policiesOf(world, one).spendLimits.get(zeroAddress)?.maxPerDay),
      );
      return account ? spend(world, account, zeroAddress) : null;
    },
  },
  {
    name: "record a spend as the window ends",
    weight: 2,
    act(world) {
      if (!world.timeIsFree) return null;
      const limits = canRecordSpend(world).flatMap((account) =>
        [...policiesOf(world, account).spendLimits.values()]
          .filter(endsLater(world))
          .map((limit) => ({ account, limit })),
      );
      const chosen = world.random.pick(limits);
      if (!chosen) return null;
      moveToEnd(world, chosen.limit);
      return spend(world, chosen.account, chosen.limit.token);
    },
  },
  {
    name: "record a signed payment",
    weight: 5,
    act(world) {
      const chosen = world.random.pick(payable(world));
      return chosen ? pay(world, chosen) : null;
    },
  },
  {
    name: "record a signed payment as the window ends",
    weight: 2,
    act(world) {
      if (!world.timeIsFree) return null;
      // Time only lowers the spend, so a payment that is allowed now is allowed then.
      const chosen = world.random.pick(payable(world).filter(({ policy }) => endsLater(world)(policy)));
      if (!chosen) return null;
      moveToEnd(world, chosen.policy);
      return pay(world, chosen);
    },
  },
  {
    name: "pay coins out of the policy account",
    weight: 2,
    act(world) {
      const from = world.contracts.PolicyAccount;
      const value = BigInt(1 + world.random.below(1_000));
      return mayReach(world, from, payee, null, value) ? { from, to: payee, data: "0x", value } : null;
    },
  },
  {
    name: "spend tokens from the policy account",
    weight: 3,
    act(world) {
      const { PolicyAccount: from, TestDollar } = world.contracts;
      const approves = world.random.chance(0.5);
      const functionName = approves ? "approve" : "transfer";
      const amount = anySpend(world, approves ? maxUint256 : 1_000n);
      if (!may(world, from, "TestDollar", functionName)) return null;
      if (!isWithinLimit(policiesOf(world, from), TestDollar, amount, world.now)) return null;
      return call(world, from, "TestDollar", functionName, [world.wallets[0].address, amount]);
    },
  },
];

const tokenSpenders: Hex[] = [selectorOf("TestDollar", "approve"), selectorOf("TestDollar", "transfer")];

/** The token spend that the policy module decodes from a call. */
const tokenSpend = ({ data }: Call) =>
  size(data) >= 68 && tokenSpenders.includes(slice(data, 0, 4)) ? hexToBigInt(slice(data, 36, 68)) : 0n;

/** Adds the spend of an execution by the policy account, as the account does before the call. */
export function bookExecution(world: World, execution: Call): void {
  const policies = policiesOf(world, execution.from);
  if (execution.value > 0n) recordSpend(policies, zeroAddress, execution.value, world.now);
  const amount = tokenSpend(execution);
  if (amount > 0n) recordSpend(policies, execution.to, amount, world.now);
}
