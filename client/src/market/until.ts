import { wait } from "../wait";
import { unusable } from "./fields";

/** How long to wait for the index, and how often to look. */
const WAIT_MS = 30_000;
const POLL_MS = 100;

/** Reads until the result is defined, while the index follows the chain. */
export async function until<Value>(what: string, read: () => Promise<Value | undefined>): Promise<Value> {
  const end = performance.now() + WAIT_MS;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (performance.now() > end) throw unusable(`${what} did not happen within ${WAIT_MS} ms`);
    await wait(POLL_MS);
  }
}
