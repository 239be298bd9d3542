import type { Api } from "../api";
import { until } from "./until";

/** Waits until the index has a block. */
export async function indexed(intentry: Pick<Api, "status">, block: bigint): Promise<void> {
  await until(`Block ${block} was not indexed`, async () => {
    const { block_number } = await intentry.status.ready.query();
    return block_number !== null && BigInt(block_number) >= block ? true : undefined;
  });
}
