import type { Api, PreparedAction, Token } from "../../client/src/api";
import { requireWellFormed } from "../../client/src/well-formed";
import { readAmount } from "../../common/amount";

/** A question that an action has for the person. Each is a text. */
export type Field = {
  /** The input of the operation. */
  name: string;
  label: string;
  hint?: string | undefined;
  isOptional?: true;
} & (
  | { kind: "line" }
  /** Several sentences. With `property`, the input is an object that has them in this property. */
  | { kind: "text"; property?: string }
  /** An amount in whole tokens. */
  | { kind: "amount"; token: string }
  | { kind: "choice"; options: readonly { value: string; text: string }[] }
);

/** An action that a page offers: `POST /actions/{name}` prepares it. */
export type Offer = {
  name: keyof Api["actions"];
  /** The words of the button, which no other action of the page has. */
  label: string;
  /** What it does, and who can do it. */
  note: string;
  /** The account that must act. Default: the wallet's. */
  account?: string;
  /** What the page knows. */
  input: Readonly<Record<string, unknown>>;
  fields: readonly Field[];
};

type KnownToken = Pick<Token, "decimals" | "symbol"> | undefined;

/** Finds the tokens of a page. */
export type FindToken = (address: string) => KnownToken;

const hasUnit = (token: KnownToken): token is { decimals: number; symbol: string } =>
  token?.decimals != null && token.symbol !== null;

/** The symbol of an amount that a person types. Undefined if the amount must be in the smallest unit. */
export const unitOf = (token: KnownToken): string | undefined => (hasUnit(token) ? token.symbol : undefined);

/** What a text means for the operation. Throws a sentence if it is not an amount. */
function meaningOf(field: Field, text: string, findToken: FindToken): unknown {
  if (field.kind === "text" && field.property !== undefined) return { [field.property]: text };
  const token = field.kind === "amount" ? findToken(field.token) : undefined;
  if (!hasUnit(token)) return text;
  const read = readAmount(text, token);
  if ("problem" in read) throw new Error(`${field.label}: ${text} ${read.problem}.`);
  return String(read.amount);
}

/** The input of the operation, from what a person typed. Empty texts are left out. */
export function inputOf(
  { input, fields }: Offer,
  texts: Readonly<Record<string, string>>,
  findToken: FindToken,
): Record<string, unknown> {
  const values = fields.flatMap((field) => {
    const text = texts[field.name]?.trim() ?? "";
    return text === "" ? [] : [[field.name, meaningOf(field, text, findToken)] as const];
  });
  return { ...input, ...Object.fromEntries(values) };
}

/** The inputs about who acts. The wallet's account signs for the account that must act, if that is another one. */
export function senderOf({ account }: Offer, walletAccount: string): Readonly<Record<string, string>> {
  if (account === undefined || account === walletAccount.toLowerCase()) return { from: walletAccount };
  return { from: account, account: "policy", signer: walletAccount };
}

/** Symbols that a shell and JSON leave as they are. */
const PLAIN_SYMBOL = /^[A-Za-z][\w.-]{0,30}$/;

const examples = { line: "…", text: "…", choice: "…", amount: "1" } as const;

/** A value for a field, to replace. */
function exampleOf(field: Field, findToken: FindToken): unknown {
  if (field.kind === "choice") return field.options[0]?.value ?? examples.choice;
  const text = examples[field.kind];
  if (field.kind === "text") return field.property === undefined ? text : { [field.property]: text };
  const unit = field.kind === "amount" ? unitOf(findToken(field.token)) : undefined;
  return unit !== undefined && PLAIN_SYMBOL.test(unit) ? `${text} ${unit}` : text;
}

/** The same request for programs, as a line of a shell. */
export function curlOf({ name, account = "0x…", input, fields }: Offer, url: string, findToken: FindToken): string {
  const required = fields.filter(({ isOptional }) => isOptional === undefined);
  const values = required.map((field) => [field.name, exampleOf(field, findToken)]);
  const body = JSON.stringify({ from: account, ...input, ...Object.fromEntries(values) });
  return `curl ${url}/actions/${name} -H 'content-type: application/json' -d '${body.replaceAll("'", "'\\''")}'`;
}

/** The sentence of an error response of the gateway. */
function messageOf(body: unknown): string | undefined {
  const { error } = (typeof body === "object" && body !== null ? body : {}) as { error?: unknown };
  return typeof error === "string" ? error : undefined;
}

/** Prepares an action. Throws the sentence of the service if it can't. */
export async function prepareAction(
  name: string,
  input: Readonly<Record<string, unknown>>,
  send: typeof fetch = (...request) => fetch(...request),
): Promise<PreparedAction> {
  const response = await send(`/actions/${encodeURIComponent(name)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(input),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error(messageOf(body) ?? `The service responded with status ${response.status}.`);
  const answer = body as PreparedAction;
  requireWellFormed(answer.transactions);
  return answer;
}
