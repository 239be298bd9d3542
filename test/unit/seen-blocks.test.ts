import { describe, expect, it } from "vitest";
import { compareBlocks, type SeenBlock } from "../../api/prices/seen-blocks";

const block = (number: number, branch = "a"): SeenBlock => ({
  number: BigInt(number),
  hash: `0x${branch}${number}`,
  timestamp: BigInt(100 * number),
});

describe("blocks of earlier passes", () => {
  const seen = [block(9), block(7), block(2)];
  /** The chain of a node up to a block, on another branch from a block on. */
  const chain = (newest: number, forked = 100) => {
    const asked: bigint[] = [];
    const hashAt = async (number: bigint) => {
      asked.push(number);
      return number > newest ? undefined : block(Number(number), number >= forked ? "b" : "a").hash;
    };
    return { asked, hashAt };
  };

  it("are still in the chain if the newest one is, which one request finds out", async () => {
    const { hashAt, asked } = chain(12);
    expect(await compareBlocks(seen, hashAt)).toEqual({ kept: seen, changedSince: undefined });
    expect(asked).toEqual([9n]);
  });

  it("tell since when the chain has changed", async () => {
    expect(await compareBlocks(seen, chain(12, 8).hashAt)).toEqual({ kept: seen.slice(1), changedSince: 700n });
    expect(await compareBlocks(seen, chain(12, 3).hashAt)).toEqual({ kept: seen.slice(2), changedSince: 200n });
  });

  it("are not known to have changed if the node is behind all of them", async () => {
    expect(await compareBlocks(seen, chain(1).hashAt)).toEqual({ kept: seen, changedSince: undefined });
    expect(await compareBlocks(seen, chain(8).hashAt)).toEqual({ kept: seen.slice(1), changedSince: 700n });
  });

  it("are all removed by a deeper reorg", async () => {
    expect(await compareBlocks(seen, chain(12, 1).hashAt)).toEqual({ kept: [], changedSince: 0n });
    expect(await compareBlocks([], chain(12).hashAt)).toEqual({ kept: [], changedSince: undefined });
  });
});
