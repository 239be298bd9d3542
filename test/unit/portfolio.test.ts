import type { Address } from "viem";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPortfolio } from "../../api/portfolio/portfolio";
import { AllChainsFailed, type ChainReading, type PortfolioProvider } from "../../api/portfolio/provider";
import type { ChainSlug } from "../../config/chains";

const walletOf = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;
const wallet = walletOf(1);

const empty = (chain: ChainSlug): ChainReading => ({
  chain,
  ok: true,
  holdings: [],
  complete: true,
  activity: [],
  warnings: [],
});
const failed = (chain: ChainSlug): ChainReading => ({ chain, ok: false, reason: "did not answer in time" });

/** A portfolio service over a fake provider with a delay. */
function portfolioOver(answer: (chain: ChainSlug) => ChainReading, cacheMs = 15_000) {
  const read = vi.fn<PortfolioProvider["read"]>(async (_, chains) => {
    await new Promise((resolve) => setImmediate(resolve));
    return chains.map(answer);
  });
  return { read, ...createPortfolio({ provider: { name: "fake", chains: ["base", "polygon"], read }, cacheMs }) };
}

describe("a portfolio", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date", "performance"], now: new Date("2026-01-02T12:00:00Z") });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
  const pass = (milliseconds: number) => vi.advanceTimersByTime(milliseconds);

  it("reads once for fifty concurrent requests", async () => {
    const { snapshot, read } = portfolioOver(empty);
    const all = await Promise.all(Array.from({ length: 50 }, () => snapshot(wallet, ["base", "polygon"])));
    expect(read).toHaveBeenCalledTimes(1);
    expect(new Set(all).size).toBe(1);
    expect(all[0]).toMatchObject({ address: wallet, chains: ["base", "polygon"], provider: "fake" });
  });

  it("returns a cached snapshot until it expires", async () => {
    const { snapshot, read } = portfolioOver(empty);
    const first = await snapshot(wallet, ["base"]);
    pass(14_999);
    expect(await snapshot(wallet, ["base"])).toBe(first);
    pass(1);
    const second = await snapshot(wallet, ["base"]);
    expect(second.timestamp).toBe("2026-01-02T12:00:15.000Z");
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("caches by address, chains and their order", async () => {
    const { snapshot, read } = portfolioOver(empty);
    await snapshot(wallet, ["base", "polygon"]);
    expect((await snapshot(wallet, ["polygon", "base"])).chains).toEqual(["polygon", "base"]);
    expect((await snapshot(walletOf(2), ["base", "polygon"])).address).toBe(walletOf(2));
    expect((await snapshot(wallet, ["base"])).chains).toEqual(["base"]);
    expect(read).toHaveBeenCalledTimes(4);
  });

  it("reads every time if caching is disabled, but once for concurrent requests", async () => {
    const { snapshot, read } = portfolioOver(empty, 0);
    await Promise.all([snapshot(wallet, ["base"]), snapshot(wallet, ["base"])]);
    await snapshot(wallet, ["base"]);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("rejects all concurrent requests when every chain fails, and reads again for the next one", async () => {
    let answers = false;
    const { snapshot, read } = portfolioOver((chain) => (answers ? empty(chain) : failed(chain)));
    const burst = await Promise.allSettled(Array.from({ length: 50 }, () => snapshot(wallet, ["base", "polygon"])));
    expect(read).toHaveBeenCalledTimes(1);
    for (const result of burst) {
      expect(result).toMatchObject({ status: "rejected", reason: expect.any(AllChainsFailed) });
    }
    answers = true;
    expect((await snapshot(wallet, ["base", "polygon"])).summary.warnings).toEqual([]);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it("reads again after an unexpected error", async () => {
    const { snapshot, read } = portfolioOver(empty);
    read.mockRejectedValueOnce(new Error("unforeseen"));
    await expect(snapshot(wallet, ["base"])).rejects.toThrow("unforeseen");
    await expect(snapshot(wallet, ["base"])).resolves.toBeDefined();
  });

  it("does not cache a snapshot that lacks a chain", async () => {
    let answers = false;
    const { snapshot } = portfolioOver((chain) => (chain === "base" || answers ? empty(chain) : failed(chain)));
    const partial = await snapshot(wallet, ["base", "polygon"]);
    expect(partial.summary.warnings).toEqual(["polygon: did not answer in time"]);
    answers = true;
    expect((await snapshot(wallet, ["base", "polygon"])).summary.warnings).toEqual([]);
  });

  it("caches a thousand snapshots, and evicts the oldest first", async () => {
    const { snapshot, read } = portfolioOver(empty);
    for (let number = 0; number <= 1_000; number++) await snapshot(walletOf(number), ["base"]);
    read.mockClear();
    await snapshot(walletOf(1_000), ["base"]);
    await snapshot(walletOf(1), ["base"]);
    expect(read).not.toHaveBeenCalled();
    await snapshot(walletOf(0), ["base"]);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it("reads with a deadline", async () => {
    const { snapshot, read } = portfolioOver(empty);
    await snapshot(wallet, ["base"]);
    expect(read.mock.calls[0]?.[2]).toBeInstanceOf(AbortSignal);
  });
});
