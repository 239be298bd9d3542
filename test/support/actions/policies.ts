import { type Address, maxUint256, slice } from "viem";
import { type Call, call, selectorOf } from "./calls";
import { anyAmount, anyOutsider, anyToken } from "./values";
import { type ActionKind, may, mayReach, policiesOf, type World } from "./world";

/** The settings that an account makes for itself. */
type Setter = "setSpendLimit" | "setTargetAllowed" | "setFunctionAllowed" | "setUseFunctionAllowlist" | "setGuardian";

/** The accounts that can make this call now. The policy account always can: its signer has the same setters on it. */
const settable = (world: World, functionName: Setter): Address[] =>
  world.participants.filter(
    (account) =>
      may(world, account, "PolicyModule", functionName) ||
      (account === world.contracts.PolicyAccount && !world.batching),
  );

/** The call of a setting. For the policy account: through `execute` if its policies allow it, or its own setter. */
function set(world: World, setting: Call): Call {
  const { PolicyAccount } = world.contracts;
  if (setting.from !== PolicyAccount) return setting;
  const mayExecute = mayReach(world, PolicyAccount, setting.to, slice(setting.data, 0, 4));
  if (mayExecute && world.random.chance(0.5)) return setting;
  return { ...setting, from: world.wallets[0].address, to: PolicyAccount };
}

export function setSpendLimit(world: World, account: Address, token: Address, maxPerDay: bigint): Call {
  // Build the call before the state changes, because it depends on the current policies.
  const made = set(world, call(world, account, "PolicyModule", "setSpendLimit", [token, maxPerDay]));
  const { spendLimits } = policiesOf(world, account);
  const { spent, since } = spendLimits.get(token) ?? { spent: 0n, since: 0n };
  spendLimits.set(token, { token, maxPerDay, spent, since });
  return made;
}

export function setTargetAllowed(world: World, account: Address, target: Address, allowed: boolean): Call {
  const made = set(world, call(world, account, "PolicyModule", "setTargetAllowed", [target, allowed]));
  policiesOf(world, account).targets.set(target, allowed);
  return made;
}

/** The functions that the policy account calls here. */
const functionsInUse = (world: World) =>
  [
    [world.contracts.PolicyModule, selectorOf("PolicyModule", "recordSpend")],
    [world.contracts.AgentRegistry, selectorOf("AgentRegistry", "registerAgent")],
    [world.contracts.AttestationRegistry, selectorOf("AttestationRegistry", "submitAttestation")],
    [world.contracts.IntentBook, selectorOf("IntentBook", "submitIntent")],
    [world.contracts.TestDollar, selectorOf("TestDollar", "approve")],
    [world.contracts.Multicall, "0x00000000"],
  ] as const;

export const policyActions: ActionKind[] = [
  {
    name: "set a spend limit",
    weight: 4,
    act(world) {
      const { random } = world;
      const account = random.pick(settable(world, "setSpendLimit"));
      if (!account) return null;
      const token = random.chance(0.2) ? world.contracts.TestDollar : anyToken(random);
      const maxPerDay = random.chance(0.4) ? anyAmount(random) : 1_000_000n * BigInt(1 + random.below(100));
      return setSpendLimit(world, account, token, maxPerDay);
    },
  },
  {
    name: "lower a spend limit below the current spend",
    weight: 1,
    act(world) {
      const overspent = settable(world, "setSpendLimit").flatMap((account) =>
        [...policiesOf(world, account).spendLimits.values()]
          .filter(({ spent, maxPerDay }) => spent > 1n && spent - 1n < maxPerDay)
          .map(({ token, spent }) => ({ account, token, maxPerDay: spent - 1n })),
      );
      const chosen = world.random.pick(overspent);
      return chosen ? setSpendLimit(world, chosen.account, chosen.token, chosen.maxPerDay) : null;
    },
  },
  {
    name: "lift a spend limit",
    weight: 1,
    act(world) {
      const limited = settable(world, "setSpendLimit").flatMap((account) =>
        [...policiesOf(world, account).spendLimits.values()]
          .filter(({ maxPerDay }) => maxPerDay > 0n)
          .map(({ token }) => ({ account, token })),
      );
      const chosen = world.random.pick(limited);
      return chosen ? setSpendLimit(world, chosen.account, chosen.token, 0n) : null;
    },
  },
  {
    name: "set a target allowed or not",
    weight: 2,
    act(world) {
      const { random } = world;
      const account = random.pick(settable(world, "setTargetAllowed"));
      if (!account) return null;
      const target = (random.chance(0.5) && random.pick(Object.values(world.contracts))) || anyOutsider(random);
      return setTargetAllowed(world, account, target, random.chance(0.8));
    },
  },
  {
    name: "set a function allowed or not",
    weight: 2,
    act(world) {
      const { random } = world;
      const account = random.pick(settable(world, "setFunctionAllowed"));
      if (!account) return null;
      const [target, selector] = random.pick(functionsInUse(world));
      const allowed = random.chance(0.8);
      const made = set(world, call(world, account, "PolicyModule", "setFunctionAllowed", [target, selector, allowed]));
      policiesOf(world, account).functions.set(`${target}-${selector}`, allowed);
      return made;
    },
  },
  {
    name: "turn a function allowlist on or off",
    weight: 2,
    act(world) {
      const account = world.random.pick(settable(world, "setUseFunctionAllowlist"));
      if (!account) return null;
      const enabled = world.random.chance(0.4);
      const made = set(world, call(world, account, "PolicyModule", "setUseFunctionAllowlist", [enabled]));
      policiesOf(world, account).useFunctionAllowlist = enabled;
      return made;
    },
  },
  {
    name: "set a guardian",
    weight: 3,
    act(world) {
      const { random } = world;
      const account = random.pick(settable(world, "setGuardian"));
      if (!account) return null;
      const guardian = (random.chance(0.7) && random.pick(world.participants)) || anyOutsider(random);
      const made = set(world, call(world, account, "PolicyModule", "setGuardian", [guardian]));
      policiesOf(world, account).guardian = guardian;
      return made;
    },
  },
  {
    name: "freeze or unfreeze one's own account",
    weight: 2,
    act(world) {
      const { PolicyAccount } = world.contracts;
      const frozen = world.random.chance(0.3);
      const account = world.random.pick(
        world.participants.filter(
          (one) => (one === PolicyAccount && !world.batching) || may(world, one, "PolicyModule", "setAccountFrozen"),
        ),
      );
      if (!account) return null;
      const made =
        account === PolicyAccount
          ? call(world, world.wallets[0].address, "PolicyAccount", "setAccountFrozen", [frozen])
          : call(world, account, "PolicyModule", "setAccountFrozen", [account, frozen]);
      policiesOf(world, account).frozen = frozen;
      return made;
    },
  },
  {
    name: "freeze or unfreeze an account as its guardian",
    weight: 2,
    act(world) {
      const account = world.random.pick(
        world.participants.filter((one) =>
          may(world, policiesOf(world, one).guardian, "PolicyModule", "setAccountFrozen"),
        ),
      );
      if (!account) return null;
      const policies = policiesOf(world, account);
      policies.frozen = world.random.chance(0.4);
      return call(world, policies.guardian, "PolicyModule", "setAccountFrozen", [account, policies.frozen]);
    },
  },
  {
    name: "set a payment policy",
    weight: 4,
    act(world) {
      const { random } = world;
      const account = random.pick(
        world.participants.filter((one) => may(world, one, "PolicyModule", "setPaymentPolicy")),
      );
      if (!account) return null;
      const policies = policiesOf(world, account).paymentPolicies;
      const again = random.chance(0.5) && random.pick([...policies.values()]);
      const other = { merchant: anyOutsider(random), token: anyToken(random), facilitator: anyOutsider(random) };
      const { merchant, token, facilitator } = again || other;
      const maxPerPayment = random.pick([0n, 1_000n, anyAmount(random)]);
      const maxPerDay = random.pick([0n, 5_000n, anyAmount(random), maxUint256]);
      const allowed = random.chance(0.85);
      const key = [merchant, token, facilitator].join("-");
      const { spent, since } = policies.get(key) ?? { spent: 0n, since: 0n };
      policies.set(key, { merchant, token, facilitator, maxPerPayment, maxPerDay, allowed, spent, since });
      const args = [merchant, token, facilitator, maxPerPayment, maxPerDay, allowed] as const;
      return call(world, account, "PolicyModule", "setPaymentPolicy", args);
    },
  },
];
