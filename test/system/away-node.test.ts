import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { runs } from "../support/seed";
import { CAUGHT_UP_MS, startProxiedIndex } from "./proxied-index";

// unit/rpc-outage has 60 s in fake time.
const AWAY_SECONDS = Math.min(60, runs(30));

it("an index whose RPC is away after 429s catches up within 10 s of its return", { timeout: 300_000 }, async (test) => {
  const { stack, proxy, register, caughtUp, expectBounded, stop } = await startProxiedIndex();
  test.onTestFinished(stop);
  proxy.decide(() => "limit");
  await register(3);
  await setTimeout(5_000);
  proxy.decide(() => "cut");
  await register(5);
  // The number of blocks that a chain with a block time of 2 s mines in a minute.
  await stack.client.mine({ blocks: 25 });
  proxy.calls.length = 0;
  await setTimeout(AWAY_SECONDS * 1_000);
  // About one probe per second from each process.
  expect(proxy.calls.length).toBeLessThanOrEqual(AWAY_SECONDS * 2.5);
  proxy.decide(() => "pass");
  await caughtUp(CAUGHT_UP_MS);
  expectBounded();
});
