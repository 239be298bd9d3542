import { wait } from "../wait";
import { unusable } from "./fields";

/** How long to wait for the index, and how often to look. */
const WAIT_MS = 30_000;
const POLL_MS = 100;

/**
 * Reads until the result is defined, while the index follows the chain. `problem` says what is still missing after the time
 * limit: `Block 5 was not indexed`.
 */
export async function until<Value>(problem: string, read: () => Promise<Value | undefined>): Promise<Value> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (performance.now() > end) throw unusable(`${problem} within ${WAIT_MS / 1000} s`);
    await wait(POLL_MS);
  }
}
