import type { Address, Hex } from "viem";
import { z } from "zod";
import { address as addressValue } from "../../../../config/values";
import { type Activity, MAX_ACTIVITY } from "../../provider";
import { AlchemyFailed, postJson } from "./http";

const Transfer = z.object({
  blockNum: z
    .string()
    .regex(/^0x[0-9a-fA-F]{1,16}$/)
    .transform(BigInt),
  uniqueId: z.string(),
  hash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/)
    .transform((hash) => hash.toLowerCase() as Hex),
  from: addressValue.nullish(),
  to: addressValue.nullish(),
  metadata: z
    .object({ blockTimestamp: z.iso.datetime({ offset: true }) })
    .nullish()
    .catch(null),
});

const Answer = z.object({
  result: z.object({ transfers: z.array(Transfer) }).optional(),
});

/** Reads the newest transfers from and to an address with `alchemy_getAssetTransfers`. */
export async function recentAlchemyTransfers(url: string, address: Address, signal: AbortSignal): Promise<Activity[]> {
  const request = async (side: { fromAddress: Address } | { toAddress: Address }) => {
    const parameters = {
      fromBlock: "0x0",
      toBlock: "latest",
      ...side,
      category: ["external", "erc20"],
      // Zero-value transfers are mostly address-poisoning spam.
      excludeZeroValue: true,
      withMetadata: true,
      order: "desc",
      maxCount: `0x${MAX_ACTIVITY.toString(16)}`,
    };
    const body = { jsonrpc: "2.0", id: 1, method: "alchemy_getAssetTransfers", params: [parameters] };
    const { result } = await postJson(url, body, Answer, signal);
    if (!result) throw new AlchemyFailed("returned an error");
    return result.transfers;
  };
  const found = (await Promise.all([request({ fromAddress: address }), request({ toAddress: address })])).flat();
  const unique = [...new Map(found.map((transfer) => [transfer.uniqueId, transfer])).values()];
  return unique
    .sort((left, right) => Number(right.blockNum - left.blockNum))
    .slice(0, MAX_ACTIVITY)
    .map(({ hash, from, to, blockNum, metadata }) => ({
      hash,
      from: from ?? null,
      to: to ?? null,
      blockNumber: blockNum,
      timestamp: metadata ? new Date(metadata.blockTimestamp) : null,
    }));
}
