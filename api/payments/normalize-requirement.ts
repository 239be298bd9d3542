import { BadInput } from "../core/errors";
import { isJsonObject } from "../core/json-values";

const SCHEMA = "cortex.x402-payment-requirement.v1";

/** The fields of the canonical form with their spellings in x402 version 1 and 2. Other spellings are camelCase. */
const fields = {
  scheme: ["scheme"],
  network: ["network"],
  chain_id: ["chain_id", "chainId"],
  resource: ["resource"],
  method: ["method"],
  pay_to: ["pay_to", "payTo"],
  asset: ["asset"],
  amount: ["amount", "max_amount_required", "maxAmountRequired"],
  facilitator_url: ["facilitator_url", "facilitatorUrl"],
  facilitator_address: ["facilitator_address", "facilitatorAddress"],
  expires_at: ["expires_at", "expiresAt"],
  nonce: ["nonce"],
} as const;

type FieldName = keyof typeof fields;

const required = ["scheme", "asset", "amount", "pay_to"] as const satisfies FieldName[];

type Required = (typeof required)[number];

const fieldNames = Object.keys(fields) as FieldName[];

/** These are case-sensitive. */
const verbatim: ReadonlySet<FieldName> = new Set(["method", "resource"]);

/** Whole numbers in decimal digits. */
const numeric: ReadonlySet<FieldName> = new Set(["chain_id", "amount"]);

const MAX_LENGTH = 2_048;

type Json = Record<string, unknown>;

/** A payment requirement in one form for all spellings. Every value is text. */
export type NormalizedRequirement = { schema: typeof SCHEMA } & Record<Required, string> & {
    [Name in Exclude<FieldName, Required>]?: string;
  };

/** The text of a value. Version 2 describes a resource by an object with its URL. */
function textOf(name: FieldName, value: unknown): string {
  const single = name === "resource" && isJsonObject(value) ? value.url : value;
  if (typeof single === "number" && !Number.isSafeInteger(single))
    throw new BadInput(`${name}: is a number that JSON can't represent exactly; send it as a string`);
  const text = typeof single === "number" ? String(single) : single;
  if (typeof text !== "string" || text === "" || text.length > MAX_LENGTH)
    throw new BadInput(`${name}: must be a text of 1 to ${MAX_LENGTH} characters`);
  if (numeric.has(name) && !/^\d{1,78}$/.test(text)) throw new BadInput(`${name}: must be a whole number`);
  return verbatim.has(name) ? text : text.toLowerCase();
}

/** Reads one field in any spelling. Throws if two spellings have different values: the payer must know what it pays. */
function readField(name: FieldName, requirement: Json): string | undefined {
  const given = fields[name].filter((spelling) => (requirement[spelling] ?? null) !== null);
  const [text, ...others] = new Set(given.map((spelling) => textOf(name, requirement[spelling])));
  if (others.length > 0) throw new BadInput(`${given.join(" and ")}: must have the same value`);
  return text;
}

/** The requirement to read: with `accepts` its first entry, and of the object around it what the entry lacks. */
function entryOf(sent: Json, warnings: string[]): Json {
  if ((sent.accepts ?? null) === null) return sent;
  const [entry, ...others] = Array.isArray(sent.accepts) ? sent.accepts : [];
  if (!isJsonObject(entry)) throw new BadInput("payment_requirement_json: accepts must have a first entry, an object");
  if (others.length > 0) warnings.push(`accepts has ${others.length + 1} entries; the first one is used`);
  return { ...entry, resource: entry.resource ?? sent.resource };
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
  const values: { [Name in FieldName]?: string } = {};
  for (const name of fieldNames) {
    const text = readField(name, requirement);
    if (text !== undefined) values[name] = text;
  }
  const { scheme, asset, amount, pay_to, ...others } = values;
  const problems = required.filter((name) => values[name] === undefined).map((name) => `${name}: is required`);
  if (others.network === undefined && others.chain_id === undefined) problems.push("network: is required, or chain_id");
  if (!scheme || !asset || !amount || !pay_to || problems.length > 0) throw new BadInput(...problems);
  if (others.resource === undefined) warnings.push("resource is missing: the hash does not commit to what is paid for");
  return { normalized: { schema: SCHEMA, scheme, asset, amount, pay_to, ...others }, warnings };
}

/** JSON with sorted keys and without spaces. */
export const canonicalJson = (normalized: NormalizedRequirement): string =>
  JSON.stringify(Object.fromEntries(Object.entries(normalized).sort(([one], [other]) => (one < other ? -1 : 1))));
