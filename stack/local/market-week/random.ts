export type Random = {
  /** A number from `low` up to `high`. */
  between: (low: number, high: number) => number;
  /** True with this probability. */
  chance: (probability: number) => boolean;
  /** One of the items. Those with a larger weight are more likely. */
  pick: <Item>(items: readonly Item[], weightOf?: (item: Item) => number) => Item;
};

/** Random numbers that are the same in every run (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick(items, weightOf = () => 1) {
      let rest = next() * items.reduce((sum, item) => sum + weightOf(item), 0);
      const found = items.find((item) => {
        rest -= weightOf(item);
        return rest < 0;
      });
      const [first] = items;
      const picked = found ?? first;
      if (picked === undefined) throw new Error("There is nothing to pick from");
      return picked;
    },
  };
}
