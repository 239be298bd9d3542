import { IntentryError, noResponse } from "../error";
import { unusable } from "./fields";

/** How long a merchant may take to answer. It answers to a payment after the delivery. */
const TIMEOUT_MS = 60_000;

/** The value of a JSON text. Null if it is not JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Sends JSON to a merchant. A rejected message is `invalid_quote`, any other failure `no_response`. */
export const postJson =
  (fetch: typeof globalThis.fetch, timeoutMs = TIMEOUT_MS) =>
  async (url: string, message: object) => {
    const send = async () => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(message),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, text: await response.text() };
    };
    const { status, text } = await send().catch((error: unknown) => {
      throw noResponse(url, error);
    });
    const answer = jsonOf(text);
    if (status >= 200 && status < 300) return answer;
    const { error } = (answer ?? {}) as { error?: unknown };
    const sentence = typeof error === "string" ? error : `The merchant responded with status ${status}`;
    throw status >= 500 ? new IntentryError(sentence, { status, code: "no_response" }) : unusable(sentence);
  };
