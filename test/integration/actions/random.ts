/** A source of choices that makes the same ones again for the same seed. */
export type Random = {
  /** A whole number from 0 to `limit` − 1. */
  below: (limit: number) => number;
  /** True with this probability. */
  chance: (probability: number) => boolean;
  /** One of the items; undefined only when there are none. */
  pick: Pick;
};

type Pick = {
  <Item>(items: readonly [Item, ...Item[]]): Item;
  <Item>(items: readonly Item[]): Item | undefined;
};

/** Mulberry32: a few lines, a period of 2^32, and good enough to pick actions with. */
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
