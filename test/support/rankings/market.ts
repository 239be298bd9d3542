import { arbitraryPrice, dollarsOf, hourAt, type Listed, type PriceOf } from "./dollars";
import type { Facts } from "./facts";

/** What a gateway knows: the facts of the chain, the listed tokens with their prices, and the time. */
export type Market = { facts: Facts; listed: ReadonlyMap<string, Listed>; priceOf: PriceOf; now: bigint };

/** One thing that is ranked: an amount of a token, by one participant, for a counterparty. */
export type Trade = {
  key: string;
  counterparty: string;
  token: string;
  amount: bigint;
  time: bigint;
  isSelf: boolean;
};

export const boardNames = ["merchants", "services", "solvers", "agents", "facilitators"] as const;
export type BoardName = (typeof boardNames)[number];

const windows = { "24h": 24n, "7d": 168n, "30d": 720n, all: null } as const;
export type WindowName = keyof typeof windows;
export const windowNames = Object.keys(windows) as WindowName[];

/** The first second of a window; null for all time. */
export function windowStart(window: WindowName, now: bigint): bigint | null {
  const hours = windows[window];
  return hours === null ? null : hourAt(now) - (hours - 1n) * 3_600n;
}

/** Whether a time is in a window. */
export const isIn = (window: WindowName, now: bigint) => {
  const start = windowStart(window, now);
  return ({ time }: { time: bigint }) => start === null || time >= start;
};

export const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

/** The dollars of an amount; zero without a price. */
export function dollarsAt(
  { listed, priceOf }: Pick<Market, "listed" | "priceOf">,
  token: string,
  amount: bigint,
  time: bigint,
): bigint {
  const decimals = listed.get(token)?.decimals;
  return decimals === undefined ? 0n : (dollarsOf(amount, priceOf(token, hourAt(time)), decimals) ?? 0n);
}

/** The trades of a board's participants. */
export function tradesOf({ receipts, fills }: Facts, board: BoardName): Trade[] {
  if (board === "solvers")
    return fills.map(({ solver, owner, inputToken, amountIn, time }) => ({
      key: solver,
      counterparty: owner,
      token: inputToken,
      amount: amountIn,
      time,
      isSelf: solver === owner,
    }));
  return receipts.flatMap(({ agent, merchantId, serviceNumericId, facilitator, ...trade }) => {
    const key = { merchants: merchantId, services: serviceNumericId, agents: agent, facilitators: facilitator }[board];
    return key === null ? [] : [{ key, counterparty: board === "agents" ? merchantId : agent, ...trade }];
  });
}

/** The counterparties of a participant, once for each of its listed tokens. One that was ever itself does not count. */
export function counterpartiesOf(trades: readonly Trade[], listed: ReadonlyMap<string, Listed>): number {
  const pairs = new Map<string, boolean>();
  for (const { token, counterparty, isSelf } of trades.filter((trade) => listed.has(trade.token))) {
    const pair = `${token} ${counterparty}`;
    pairs.set(pair, (pairs.get(pair) ?? false) || isSelf);
  }
  return [...pairs.values()].filter((isSelf) => !isSelf).length;
}

/** The things by key. */
export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

type Sortable = bigint | number | string;

/** A comparator: by each value in descending order, and by the last one, a text, in ascending order. */
export const descending =
  <Item>(valuesOf: (item: Item) => Sortable[], keyOf: (item: Item) => string) =>
  (one: Item, other: Item): number => {
    const [left, right] = [valuesOf(one), valuesOf(other)];
    for (const [index, value] of left.entries()) {
      const against = right[index] as Sortable;
      if (value !== against) return value > against ? -1 : 1;
    }
    return keyOf(one) < keyOf(other) ? -1 : 1;
  };

/**
 * A market on the tokens that were traded: every third one is not listed, and there are prices for most hours.
 */
export function marketOf(facts: Facts, now: bigint, priceOf = arbitraryPrice): Market {
  const traded = [
    ...facts.receipts.map(({ token }) => token),
    ...facts.fills.flatMap(({ inputToken, outputToken }) => [inputToken, outputToken]),
  ];
  const tokens = [...new Set(traded)].sort();
  const listed = new Map(
    tokens.flatMap((token, index) =>
      index % 3 === 2 ? [] : ([[token, { decimals: index % 2 === 0 ? 6 : 18 }]] as const),
    ),
  );
  return { facts, listed, priceOf, now };
}
