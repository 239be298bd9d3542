import { check, type Finding, ok, type Result, warning } from "./check";
import { readHead, rpcTo } from "./rpc";

/** Blocks may be this much ahead of the time at which they are received. */
const MAX_AHEAD_SECONDS = 5;

/** Compares the newest block's time with this machine's. */
export function compareClocks(blockSeconds: number, nowMs: number): Finding {
  const ahead = blockSeconds - nowMs / 1000;
  return ahead > MAX_AHEAD_SECONDS
    ? warning(
        `This machine's clock is ${ahead.toFixed(1)} s behind the newest block.`,
        "Synchronize this machine's clock (NTP).",
      )
    : ok("This machine's clock is not behind the chain.");
}

/** Checks this machine's clock. Without a node there is nothing to compare it with. */
export async function checkChainClock(node: Promise<string | undefined>): Promise<Result[]> {
  const url = await node;
  if (url === undefined) return [];
  return [
    await check("chain clock", async (signal) => {
      const { timestamp } = await readHead(rpcTo(url, signal));
      return compareClocks(timestamp, Date.now());
    }),
  ];
}
