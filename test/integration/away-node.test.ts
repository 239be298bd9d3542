import { describe, it, type TestContext } from "vitest";
import { CAUGHT_UP_MS, type ProxiedIndex, startProxiedIndex } from "./proxied-index";

const AWAY_MS = 60_000;
const TIMEOUT_MS = 300_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Starts an index that ends with the test. */
async function startIndexFor({ expect, onTestFinished }: TestContext): Promise<ProxiedIndex> {
  const indexed = await startProxiedIndex(expect);
  onTestFinished(() => indexed.stop());
  return indexed;
}

// The tests wait nearly all of their time, so that they run at the same time, each with an index of its own.
describe.concurrent("an RPC that is away", () => {
  it("after 429s, for 60 s, is caught up within 10 s of its return", { timeout: TIMEOUT_MS }, async (test) => {
    const { stack, proxy, register, caughtUp, expectBounded } = await startIndexFor(test);
    proxy.decide(() => "limit");
    await register(3);
    await sleep(10_000);
    proxy.decide(() => "cut");
    await register(5);
    // A chain with a block every 2 s has mined as many when the RPC returns.
    await stack.client.mine({ blocks: 25 });
    proxy.calls.length = 0;
    await sleep(AWAY_MS);
    // About one probe per second of each process.
    test.expect(proxy.calls.length).toBeLessThanOrEqual(150);
    proxy.decide(() => "pass");
    await caughtUp(CAUGHT_UP_MS);
    expectBounded();
  });

  it("silent for 60 s is caught up within 10 s of its return", { timeout: TIMEOUT_MS }, async (test) => {
    const { proxy, register, caughtUp, expectBounded } = await startIndexFor(test);
    proxy.decide(() => "wait");
    await register(5);
    await sleep(AWAY_MS);
    proxy.decide(() => "pass");
    await caughtUp(CAUGHT_UP_MS);
    expectBounded();
  });
});
