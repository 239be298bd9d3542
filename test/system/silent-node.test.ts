import { setTimeout } from "node:timers/promises";
import { it } from "vitest";
import { rpcTimes } from "../../rpc/follow-head";
import { runs } from "../support/seed";
import { CAUGHT_UP_MS, startProxiedIndex } from "./proxied-index";

// Longer than any request waits for a response. unit/rpc-outage has 60 s in fake time.
const SILENT_MS = Math.min(60_000, runs(rpcTimes(true).timeoutMs + 5_000));

it("an index whose RPC does not respond catches up within 10 s of its return", { timeout: 300_000 }, async (test) => {
  const { proxy, register, caughtUp, expectBounded, stop } = await startProxiedIndex();
  test.onTestFinished(stop);
  proxy.decide(() => "wait");
  await register(5);
  await setTimeout(SILENT_MS);
  proxy.decide(() => "pass");
  await caughtUp(CAUGHT_UP_MS);
  expectBounded();
});
