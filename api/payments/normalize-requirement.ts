import { BadInput } from "../core/errors";
import { isJsonObject } from "../core/json-values";

const SCHEMA = "cortex.x402-payment-requirement.v1";

type Form = "text" | "lowercase" | "uppercase" | "number or text";

/**
 * The fields of the canonical form: the names that clients use, of which the first non-empty one counts, and the form of the
 * value. Clients of the public deployment compute hashes by the same table. Any other rule gives another hash.
 */
const fields = {
  scheme: { names: ["scheme", "kind", "authorization_scheme"], form: "lowercase" },
  network: { names: ["network", "chain"], form: "lowercase" },
  chain_id: { names: ["chain_id", "chainId"], form: "number or text" },
  resource: { names: ["resource", "resource_url", "url"], form: "text" },
  method: { names: ["method"], form: "uppercase" },
  pay_to: { names: ["pay_to", "payTo", "recipient", "receiver"], form: "lowercase" },
  asset: { names: ["asset", "token"], form: "lowercase" },
  amount: { names: ["amount", "maxAmountRequired", "max_amount_required", "value"], form: "text" },
  facilitator_url: { names: ["facilitator.url", "facilitator_url"], form: "text" },
  facilitator_address: { names: ["facilitator.address", "facilitator_address"], form: "lowercase" },
  expires_at: { names: ["expires_at", "expiresAt", "expiration"], form: "text" },
  nonce: { names: ["nonce"], form: "text" },
} as const satisfies Record<string, { names: readonly string[]; form: Form }>;

type FieldName = keyof typeof fields;

const fieldNames = Object.keys(fields) as FieldName[];

const required = ["scheme", "asset", "amount", "pay_to"] as const satisfies FieldName[];

type Required = (typeof required)[number];

const MAX_LENGTH = 2_048;

type Json = Record<string, unknown>;

type TextField = Exclude<FieldName, "chain_id">;

/** A payment requirement in one form for all spellings. */
export type NormalizedRequirement = { schema: typeof SCHEMA } & Record<Required, string> & {
    [Name in Exclude<TextField, Required>]?: string;
  } & { chain_id?: string | number };

const isEmpty = (value: unknown) => value === undefined || value === null || value === "";

/** The value of a name, such as `facilitator.url`. Text is trimmed. */
function sentValue(requirement: Json, name: string): unknown {
  const [outer = "", inner] = name.split(".");
  const parent = requirement[outer];
  const value = inner === undefined ? parent : isJsonObject(parent) ? parent[inner] : undefined;
  return typeof value === "string" ? value.trim() : value;
}

/** Throws for a value that is neither text nor a number: the hash must not omit it. */
function inForm(name: string, value: unknown, form: Form): string | number {
  if (typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    throw new BadInput(`${name}: is a number that JSON can't represent exactly; send it as a string`);
  if (typeof value !== "string" && typeof value !== "number")
    throw new BadInput(`${name}: must be a string or a number`);
  if (form === "number or text" && typeof value === "number") return value;
  const text = String(value);
  if (text.length > MAX_LENGTH) throw new BadInput(`${name}: must have at most ${MAX_LENGTH} characters`);
  return form === "lowercase" ? text.toLowerCase() : form === "uppercase" ? text.toUpperCase() : text;
}

/** Reads the first non-empty name of a field. The others are ignored, with a warning if their value differs. */
function readField(requirement: Json, field: FieldName, warnings: string[]): string | number | undefined {
  const { names, form } = fields[field];
  const [first, ...others] = names.filter((name) => !isEmpty(sentValue(requirement, name)));
  if (first === undefined) return undefined;
  const value = inForm(first, sentValue(requirement, first), form);
  const isSame = (other: unknown) =>
    (typeof other === "string" || typeof other === "number") &&
    String(other).toLowerCase() === String(value).toLowerCase();
  for (const name of others)
    if (!isSame(sentValue(requirement, name))) warnings.push(`${name} differs from ${first} and is ignored`);
  return value;
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
  const values: { [Name in TextField]?: string } & { chain_id?: string | number } = {};
  for (const field of fieldNames) {
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
