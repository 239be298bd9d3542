import type { Token } from "../src/api";
import { createIntentryClient, type IntentryClient } from "../src/index";
import type { Service } from "./arguments";
import { isRow, NATIVE_COIN, type Row, type Tokens, tokenOf } from "./cell";

/** The most tokens, and the most intents of bids, that are read for one response. */
const MAX_READS = 50;

/** The objects in a response, each with the fields of the objects around it. */
function recordsIn(value: unknown, around: Row = {}): Row[] {
  if (Array.isArray(value)) return value.flatMap((one) => recordsIn(one, around));
  if (!isRow(value)) return [];
  const whole = { ...around, ...value };
  return [whole, ...Object.values(value).flatMap((one) => recordsIn(one, whole))];
}

const isBid = (row: Row): row is Row & { intent_id: string } =>
  typeof row.intent_id === "string" && "amount_in" in row && !("input_token" in row);

/** Adds the tokens of their intents to bids, which don't have them. */
async function withTokensOfIntents(intentry: IntentryClient, value: unknown): Promise<unknown> {
  const ids = [
    ...new Set(
      recordsIn(value)
        .filter(isBid)
        .map(({ intent_id }) => intent_id),
    ),
  ].slice(0, MAX_READS);
  const intents = new Map(await Promise.all(ids.map(async (id) => [id, await intentry.intents.get({ id })] as const)));
  const added = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(added);
    if (!isRow(one)) return one;
    const intent = isBid(one) ? intents.get(one.intent_id) : undefined;
    const members = Object.entries(one).map(([name, member]) => [name, added(member)] as const);
    return {
      ...Object.fromEntries(members),
      ...(intent && { input_token: intent.input_token, output_token: intent.output_token }),
    };
  };
  return ids.length > 0 ? added(value) : value;
}

/** The tokens of all amounts in a response. A token that can't be read is unknown. */
async function tokensIn(intentry: IntentryClient, value: unknown): Promise<Tokens> {
  const records = recordsIn(value);
  const named = records.flatMap((row) => Object.keys(row).map((name) => tokenOf(name, row)));
  const shown = records.map(({ token }) => token);
  const addresses = [...new Set([...named, ...shown])].filter((one): one is string => typeof one === "string");
  const found = await Promise.all(
    addresses.slice(0, MAX_READS).map((address) => intentry.tokens.get({ address }).catch((): Token | null => null)),
  );
  const tokens = found.filter((token) => token !== null).map((token) => [String(token.address), token] as const);
  const native = { symbol: "ETH", decimals: 18, source: "list" } as const;
  return new Map<string, Pick<Token, "symbol" | "decimals" | "source">>([[NATIVE_COIN, native], ...tokens]);
}

/** A response with what its amounts need: the tokens of bids, and the symbols and decimals of tokens. */
export async function withTokens({ url }: Service, value: unknown): Promise<{ value: unknown; tokens: Tokens }> {
  const intentry = createIntentryClient({ url, retries: 0 });
  const complete = await withTokensOfIntents(intentry, value).catch(() => value);
  return { value: complete, tokens: await tokensIn(intentry, complete) };
}
