import { TooLarge } from "../core/errors";

/** The maximum number of calls in one request. */
export const MAX_BATCH = 50;

/** The maximum size of all results of one request with several calls. A single call has no limit. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;

/** Counts the bytes of a result. Throws {@link TooLarge} when the results of a batch exceed the limit. */
export type CountBytes = (sizeOf: () => number) => void;

/** Creates the counter of one request with this number of calls. */
export function batchCounter(calls: number): CountBytes {
  let bytes = 0;
  return (sizeOf) => {
    if (calls === 1) return;
    bytes += sizeOf();
    if (bytes > MAX_BATCH_BYTES)
      throw new TooLarge(`The results of this batch have more than ${MAX_BATCH_BYTES} bytes; send fewer calls at once`);
  };
}
