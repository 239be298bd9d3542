import { IntentryError } from "./error";

/**
 * The URL of a service without a trailing slash. Rejects a URL without a scheme, which would look like an unreachable service:
 * `localhost:3001` has the scheme `localhost`.
 *
 * @example
 * baseUrlOf("http://localhost:3001/") // "http://localhost:3001"
 */
export function baseUrlOf(sent: string): string {
  const url = URL.canParse(sent) ? new URL(sent) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new IntentryError(`The URL of the service must start with http:// or https://, not ${JSON.stringify(sent)}`, {
      code: "invalid_url",
    });
  return url.href.replace(/\/+$/, "");
}
