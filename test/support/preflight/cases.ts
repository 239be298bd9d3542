import { type Address, concat, type Hex, maxUint256, numberToHex, zeroAddress } from "viem";
import type { ChainConnection } from "../../../stack/local/chain";
import { setSpendLimit, setTargetAllowed } from "../actions/policies";
import { type AccountPolicies, windowEnd } from "../actions/policy-state";
import type { Random } from "../actions/random";
import { mineBlock, transactionFor } from "../actions/sending";
import { anyAmount, anyBytes, anyOutsider, anyToken, payee } from "../actions/values";
import { policiesOf, type World } from "../actions/world";

export type TransactionCase = { account: Address; target: Address; value: bigint; data: Hex };

export type PaymentCase = {
  account: Address;
  payment: { merchant: Address; token: Address; facilitator: Address; amount: bigint };
};

/**
 * Allows every wallet to call the tokens and the payee, with spend limits. Otherwise most transactions would be denied for
 * their target, before any other check.
 */
export async function allowTokens(world: World, client: ChainConnection): Promise<void> {
  const { random, wallets, contracts } = world;
  const targets = [zeroAddress, contracts.TestDollar, anyToken(random), payee];
  await client.setAutomine(false);
  for (const { address } of wallets)
    for (const target of targets) {
      world.now += 1n;
      const settings = [
        setTargetAllowed(world, address, target, true),
        setSpendLimit(world, address, target, BigInt(1 + random.below(1_000_000))),
      ];
      const transactions = settings.map((setting) => transactionFor(world, setting, ["allow a token"]));
      await mineBlock(world, client, transactions);
    }
  await client.setAutomine(true);
}

/** All accounts with policies, and one without. */
const anyAccount = ({ random, participants }: World): Address =>
  random.chance(0.95) ? (random.pick(participants) ?? zeroAddress) : anyOutsider(random);

/** Amounts just within a limit, just over it, or random. */
function amountNear(
  { random, now }: World,
  limit: { maxPerDay: bigint; spent: bigint; since: bigint } | undefined,
): bigint {
  if (!limit || random.chance(0.3)) return random.chance(0.3) ? 0n : anyAmount(random);
  const spent = now >= windowEnd(limit) ? 0n : limit.spent;
  const left = limit.maxPerDay > spent ? limit.maxPerDay - spent : 0n;
  const amount = left + random.pick([-1n, 0n, 0n, 1n, 2n]);
  return amount < 0n ? 0n : amount > maxUint256 ? maxUint256 : amount;
}

const SELECTORS = { transfer: "0xa9059cbb", approve: "0x095ea7b3", transferFrom: "0x23b872dd" } as const;

/** Other selectors: of ERC-721 and ERC-1155, none, and one next to a known one. */
const otherSelectors: readonly [Hex, ...Hex[]] = [
  "0x42842e0e",
  "0xb88d4fde",
  "0xf242432a",
  "0x00000000",
  "0xa9059cbc",
  "0xffffffff",
];

const word = (value: bigint) => numberToHex(value, { size: 32 });

/** Calldata: of a token, an allowed function or another one, truncated or too long. */
function anyData(world: World, { spendLimits, functions }: AccountPolicies, target: Address): Hex {
  const { random } = world;
  if (random.chance(0.15)) return anyBytes(random, random.below(5));
  if (random.chance(0.25)) {
    const allowed = random.pick([...functions.keys()].filter((key) => key.startsWith(target)));
    const selector = (allowed?.split("-")[1] as Hex | undefined) ?? random.pick(otherSelectors);
    return concat([selector, anyBytes(random, random.below(120))]);
  }
  const amount = word(amountNear(world, spendLimits.get(target)));
  const somebody = word(BigInt(anyOutsider(random)));
  const kind = random.pick(["transfer", "approve", "transferFrom"] as const);
  const whole = concat(
    kind === "transferFrom" ? [SELECTORS[kind], somebody, somebody, amount] : [SELECTORS[kind], somebody, amount],
  );
  if (random.chance(0.15)) return concat([whole, anyBytes(random, 1 + random.below(40))]);
  if (random.chance(0.15)) return whole.slice(0, whole.length - 2 * (1 + random.below(33))) as Hex;
  return whole;
}

/** Targets in the account's allowlist, tokens with limits, and others. */
function anyTarget(world: World, { targets, spendLimits }: AccountPolicies): Address {
  const { random, contracts } = world;
  const allowed = [...targets].flatMap(([target, isAllowed]) => (isAllowed ? [target] : []));
  if (random.chance(0.8)) return random.pick(allowed) ?? contracts.TestDollar;
  if (random.chance(0.5)) return random.pick([...spendLimits.keys()]) ?? zeroAddress;
  return random.pick([contracts.TestDollar, contracts.PolicyModule, zeroAddress, anyOutsider(random)]);
}

/** A transaction that may be allowed, or denied for any reason. */
export function anyTransaction(world: World): TransactionCase {
  const account = anyAccount(world);
  const policies = policiesOf(world, account);
  const target = anyTarget(world, policies);
  const value = world.random.chance(0.5) ? 0n : amountNear(world, policies.spendLimits.get(zeroAddress));
  return { account, target, value, data: anyData(world, policies, target) };
}

/** A signed payment that may be allowed or denied. */
export function anyPayment(world: World): PaymentCase {
  const { random } = world;
  const account = anyAccount(world);
  const policy = random.chance(0.85)
    ? random.pick([...policiesOf(world, account).paymentPolicies.values()])
    : undefined;
  if (!policy) {
    const payment = { merchant: anyOutsider(random), token: anyToken(random), facilitator: anyOutsider(random) };
    return { account, payment: { ...payment, amount: anyAmount(random) } };
  }
  const { merchant, token, facilitator, maxPerPayment } = policy;
  const nearOne = maxPerPayment + random.pick([0n, 1n]);
  const amount = maxPerPayment && random.chance(0.4) && nearOne <= maxUint256 ? nearOne : amountNear(world, policy);
  return { account, payment: { merchant, token, facilitator, amount } };
}

/** A time just before, at or just after the end of an account's window, or a little later. */
export function anyTime(world: World, random: Random = world.random): bigint {
  const windows = [...world.policies.values()].flatMap(({ spendLimits, paymentPolicies }) => [
    ...spendLimits.values(),
    ...paymentPolicies.values(),
  ]);
  const ends = windows.map(windowEnd).filter((end) => end > world.now + 1n);
  const end = random.chance(0.8) ? random.pick(ends) : undefined;
  return end === undefined ? world.now + BigInt(1 + random.below(3_600)) : end - 1n + BigInt(random.below(3));
}
