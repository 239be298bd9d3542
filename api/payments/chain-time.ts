import type { PublicClient } from "viem";
import type { Authorization } from "./payload";
import { CODES } from "./reasons";

const isoTime = (seconds: bigint) => new Date(Number(seconds) * 1000).toISOString();

/**
 * Why an authorization is not valid at the time of the payment network's newest block. That can differ from the clock: a
 * chain may have stood still, and a development chain's time can be moved. Undefined if it is valid then.
 */
export async function chainTimeProblem(
  chain: Pick<PublicClient, "getBlock">,
  { validAfter, validBefore }: Pick<Authorization, "validAfter" | "validBefore">,
): Promise<{ code: string; message: string } | undefined> {
  const { timestamp } = await chain.getBlock();
  const rejected = "The payment is not accepted: on the payment network it";
  const newest = `Its newest block has the time ${isoTime(timestamp)}`;
  if (timestamp <= validAfter)
    return {
      code: CODES.notYetValid,
      message: `${rejected} is not valid yet. ${newest}, and the payment is valid after ${isoTime(validAfter)}; wait for a newer block, or sign an earlier validAfter`,
    };
  if (timestamp >= validBefore)
    return {
      code: CODES.expired,
      message: `${rejected} has expired. ${newest}, and the payment is valid before ${isoTime(validBefore)}; sign a later validBefore`,
    };
  return undefined;
}
