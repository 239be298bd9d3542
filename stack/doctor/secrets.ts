/** Variables whose whole value is a secret. */
const SECRET_VARIABLES = ["WRITE_TOKENS", "METRICS_TOKEN", "X402_FACILITATOR_AUTH", "ALCHEMY_API_KEY"];

/** Shorter parts of a URL's path or query, such as `v2`, are not secrets. They may also occur in other words. */
const MIN_LENGTH = 8;

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** The password of a URL, and for other URLs than PostgreSQL's the parts of its path and query, which may be API keys. */
function secretsOfUrl(text: string): string[] {
  if (!URL.canParse(text)) return [];
  const url = new URL(text);
  const isDatabase = /^postgres(ql)?:$/.test(url.protocol);
  const parts = isDatabase ? [] : [...url.pathname.split("/"), ...url.searchParams.values(), url.username];
  const passwords = [url.password, url.searchParams.get("password") ?? ""].filter((password) => password !== "");
  return [...passwords, ...parts.filter(({ length }) => length >= MIN_LENGTH)];
}

/**
 * The secrets in environment variables: tokens, passwords, and keys in URLs.
 *
 * @example
 * secretsIn({ RPC_URL: "https://rpc.example/v2/0123456789" }) // ["0123456789"]
 */
export function secretsIn(env: Readonly<Record<string, string | undefined>>): string[] {
  const found = Object.entries(env).flatMap(([name, value = ""]) => {
    const items = value.split(",").map((item) => item.trim());
    // The scheme of an Authorization header is not a secret, but the rest of it is.
    const values = SECRET_VARIABLES.includes(name) ? [value, ...items, value.replace(/^\w+ /, "")] : [];
    return [...values, ...items.flatMap(secretsOfUrl)];
  });
  const all = found.flatMap((secret) => [secret, decoded(secret)]).filter((secret) => secret !== "");
  // The longest first, because one may contain another.
  return [...new Set(all)].sort((one, other) => other.length - one.length);
}

/** Replaces secrets in a text. Messages don't contain them on purpose, but those of other servers may repeat them. */
export const redact = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((result, secret) => result.replaceAll(secret, "***"), text);
