import { BadInput } from "../core/errors";
import { isJsonObject } from "../core/inputs";

const SCHEMA = "cortex.x402-payment-requirement.v1";
const MAX_LENGTH = 2_048;

/**
 * The fields of the canonical form: the form of the value, and the names that clients use, of which the first non-empty one
 * counts. Clients of the public deployment compute hashes by the same table. Any other rule gives another hash.
 */
const fields = {
  scheme: ["lowercase", "scheme", "kind", "authorization_scheme"],
  network: ["lowercase", "network", "chain"],
  chain_id: ["number or text", "chain_id", "chainId"],
  resource: ["text", "resource", "resource_url", "url"],
  method: ["uppercase", "method"],
  pay_to: ["lowercase", "pay_to", "payTo", "recipient", "receiver"],
  asset: ["lowercase", "asset", "token"],
  amount: ["text", "amount", "maxAmountRequired", "max_amount_required", "value"],
  facilitator_url: ["text", "facilitator.url", "facilitator_url"],
  facilitator_address: ["lowercase", "facilitator.address", "facilitator_address"],
  expires_at: ["text", "expires_at", "expiresAt", "expiration"],
  nonce: ["text", "nonce"],
} as const;

type FieldName = keyof typeof fields;
type TextField = Exclude<FieldName, "chain_id">;
type Values = { [Name in TextField]?: string } & { chain_id?: string | number };

const required = ["scheme", "asset", "amount", "pay_to"] as const;

/** A payment requirement in one form for all spellings. */
export type NormalizedRequirement = Values & { schema: typeof SCHEMA } & Record<(typeof required)[number], string>;

type Json = Record<string, unknown>;

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

/** The value of a name, such as `facilitator.url`. Text is trimmed. */
function sentValue(requirement: Json, name: string): unknown {
  const [outer = "", inner] = name.split(".");
  const parent = requirement[outer];
  const value = inner === undefined ? parent : isJsonObject(parent) ? parent[inner] : undefined;
  return typeof value === "string" ? value.trim() : value;
}

/** Reads the first non-empty name of a field. The others are ignored, with a warning if their value differs. */
function readField(requirement: Json, field: FieldName, warnings: string[]): string | number | undefined {
  const [form, ...names] = fields[field];
  const [name, ...others] = names.filter((each) => !isEmpty(sentValue(requirement, each)));
  if (name === undefined) return undefined;
  const value = sentValue(requirement, name);
  // The hash must not omit a value that has no canonical form.
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new BadInput(`${name}: is a number that JSON can't represent exactly; send it as a string`);
  if (typeof value !== "string" && typeof value !== "number")
    throw new BadInput(`${name}: must be a string or a number`);
  const text = String(value);
  if (text.length > MAX_LENGTH) throw new BadInput(`${name}: must have at most ${MAX_LENGTH} characters`);
  for (const other of others) {
    const sent = sentValue(requirement, other);
    const isText = typeof sent === "string" || typeof sent === "number";
    if (!isText || String(sent).toLowerCase() !== text.toLowerCase())
      warnings.push(`${other} differs from ${name} and is ignored`);
  }
  if (form === "number or text") return value;
  return form === "lowercase" ? text.toLowerCase() : form === "uppercase" ? text.toUpperCase() : text;
}

/** The requirement to read: with `accepts`, its first entry and nothing else. */
function entryOf(sent: Json, warnings: string[]): Json {
  if (isEmpty(sent.accepts)) return sent;
  const [entry, ...others] = Array.isArray(sent.accepts) ? sent.accepts : [];
  if (!isJsonObject(entry)) throw new BadInput("payment_requirement_json: accepts must have a first entry, an object");
  if (others.length > 0) warnings.push(`accepts has ${others.length + 1} entries; the first one is used`);
  if (!isEmpty(sent.resource))
    warnings.push("resource beside accepts is ignored: the hash commits to the first entry of accepts only");
  return entry;
}

/**
 * Converts a payment requirement of x402 version 1 or 2 to the form that on-chain quotes commit to.
 *
 * @example
 * normalizeRequirement({ scheme: "exact", network: "base", maxAmountRequired: "5", payTo: "0xAB…", asset: "0xCD…" })
 */
export function normalizeRequirement(sent: Json): { normalized: NormalizedRequirement; warnings: string[] } {
  const warnings: string[] = [];
  const requirement = entryOf(sent, warnings);
  const values: Values = {};
  for (const field of Object.keys(fields) as FieldName[]) {
    const value = readField(requirement, field, warnings);
    if (value === undefined) continue;
    if (field === "chain_id") values[field] = value;
    else values[field] = String(value);
  }
  const { scheme, asset, amount, pay_to, ...others } = values;
  const missing: string[] = required.filter((field) => values[field] === undefined);
  if (others.network === undefined && others.chain_id === undefined) missing.push("network_or_chain_id");
  if (!scheme || !asset || !amount || !pay_to || missing.length > 0)
    throw new BadInput(`payment_requirement_json is missing ${missing.join(", ")}`);
  if (!isEmpty(requirement.facilitator) && !isJsonObject(requirement.facilitator))
    warnings.push("facilitator is not an object and is ignored; use facilitator_url or facilitator_address");
  if (others.resource === undefined) warnings.push("resource is missing: the hash does not commit to what is paid for");
  return { normalized: { schema: SCHEMA, scheme, asset, amount, pay_to, ...others }, warnings };
}

/** JSON with sorted keys and without spaces. */
export const canonicalJson = (normalized: NormalizedRequirement): string =>
  JSON.stringify(Object.fromEntries(Object.entries(normalized).sort(([one], [other]) => (one < other ? -1 : 1))));
