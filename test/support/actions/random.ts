/** A seeded random number generator. */
export type Random = {
  /** A whole number from 0 to `limit` − 1. */
  below: (limit: number) => number;
  /** True with this probability. */
  chance: (probability: number) => boolean;
  /** One of the items. Undefined if there are none. */
  pick: Pick;
};

type Pick = {
  <Item>(items: readonly [Item, ...Item[]]): Item;
  <Item>(items: readonly Item[]): Item | undefined;
};

/** Mulberry32, with a period of 2^32. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick: Pick = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;
  return { below, chance: (probability) => next() < probability, pick };
}
