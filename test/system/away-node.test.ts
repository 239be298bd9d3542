import { describe, it, type TestContext } from "vitest";
import { CAUGHT_UP_MS, type ProxiedIndex, startProxiedIndex } from "./proxied-index";

const AWAY_MS = 60_000;
const TIMEOUT_MS = 300_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Starts an index that is stopped after the test. */
async function startIndexFor({ expect, onTestFinished }: TestContext): Promise<ProxiedIndex> {
  const indexed = await startProxiedIndex(expect);
  onTestFinished(() => indexed.stop());
  return indexed;
}

// The tests mostly wait, so they run concurrently, each with its own index.
describe.concurrent("an RPC that is away", () => {
  it("for 60 s after 429s: the index catches up within 10 s of its return", { timeout: TIMEOUT_MS }, async (test) => {
    const { stack, proxy, register, caughtUp, expectBounded } = await startIndexFor(test);
    proxy.decide(() => "limit");
    await register(3);
    await sleep(10_000);
    proxy.decide(() => "cut");
    await register(5);
    // The number of blocks that a chain with a block time of 2 s mines meanwhile.
    await stack.client.mine({ blocks: 25 });
    proxy.calls.length = 0;
    await sleep(AWAY_MS);
    // About one probe per second from each process.
    test.expect(proxy.calls.length).toBeLessThanOrEqual(150);
    proxy.decide(() => "pass");
    await caughtUp(CAUGHT_UP_MS);
    expectBounded();
  });

  it("without responses for 60 s: the index catches up within 10 s of its return", {
    timeout: TIMEOUT_MS,
  }, async (test) => {
    const { proxy, register, caughtUp, expectBounded } = await startIndexFor(test);
    proxy.decide(() => "wait");
    await register(5);
    await sleep(AWAY_MS);
    proxy.decide(() => "pass");
    await caughtUp(CAUGHT_UP_MS);
    expectBounded();
  });
});
