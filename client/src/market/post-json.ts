import { IntentryError, noResponse } from "../error";
import { unusable } from "./fields";

/** Sends JSON to a merchant. A rejected message is `invalid_quote`, any other failure `no_response`. */
export const postJson = (fetch: typeof globalThis.fetch) => async (url: string, message: object) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(message),
  }).catch((error: unknown) => {
    throw noResponse(error);
  });
  const { status, ok } = response;
  const answer: unknown = await response.json().catch(() => null);
  if (ok) return answer;
  const { error } = (answer ?? {}) as { error?: unknown };
  const sentence = typeof error === "string" ? error : `The merchant responded with status ${status}`;
  throw status >= 500 ? new IntentryError(sentence, { status, code: "no_response" }) : unusable(sentence);
};
