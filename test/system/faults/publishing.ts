import { keccak256, stringToBytes } from "viem";
import { expect } from "vitest";

/** Publishes texts one after another until the connection breaks. Calls `onAcknowledged` for each 201. */
export async function publishUntilGone(
  url: string,
  writer: string,
  onAcknowledged: (text: string) => void,
): Promise<void> {
  for (let number = 0; ; number++) {
    const text = JSON.stringify({ writer, number, padding: "x".repeat((number * 997) % 20_000) });
    try {
      const response = await fetch(`${url}/catalogs`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ catalog_json: text, merchant_id: String(number) }),
      });
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    } catch (error) {
      if (error instanceof TypeError) return; // The connection broke, as expected.
      throw error;
    }
    onAcknowledged(text);
  }
}

/** Expects every text to be served unchanged. */
export async function expectPublished(url: string, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const response = await fetch(`${url}/catalogs/${keccak256(stringToBytes(text))}`);
    expect([response.status, await response.text()]).toEqual([200, text]);
  }
}
