import { type Address, type Hex, maxUint256, zeroAddress } from "viem";
import { readAmount } from "../../../common/amount";
import { formatAmount, formatSecond } from "../../../common/format";
import { quotedText } from "../../../common/text";
import type { AmountTerm, TimeTerm, TokenTerm } from "../../actions/terms";
import type { BaseContext } from "../../core/context";
import { BadInput, NotFound } from "../../core/errors";
import type { Caller, Operation, z } from "../../core/operation";
import { parseInput, requirePermission, runValid } from "../../core/run";
import { type Decimal, roundedHalfUp } from "../../portfolio/decimal";
import { newestUnitPrice } from "../../prices/newest-price";
import { nativeOf } from "../../tokens/lists";
import type { Token } from "../../tokens/token";
import { skeletonsOf } from "../../trust/look-alike";
import type { TrustKind } from "../../trust/participant";
import type { Context } from "../context";
import { catalogs, evidenceDocuments } from "../documents";
import { getNames } from "../search/names";
import { trust } from "../trust";

export const warningCodes = [
  "unlisted_token",
  "look_alike_token",
  "price",
  "deadline",
  "counterparty",
  "unlimited",
  "payment",
  "policies",
  "not_simulated",
] as const;

export type Warning = { code: (typeof warningCodes)[number]; message: string };

/** How long a node may take to say what a token is. */
const TOKEN_WAIT_MS = 2_000;

/** A trade that gives away more of its value needs a warning. */
const MAX_LOSS_PERCENT = 5n;

/** A deadline that is nearer needs a warning. */
const SHORT_SECONDS = 120n;

const DOLLAR_DECIMALS = 6;

const UNLIMITED = 2n ** 255n;

/** The names that records and accounts may have. */
type Named = TrustKind | "attestor";

/** A kind of document that actions publish. */
type Publishable = Pick<typeof catalogs | typeof evidenceDocuments, "publish" | "check" | "uriOf">;

/** The answer to one request: its warnings, and what a person's terms mean in it. */
export type Scope = ReturnType<typeof createScope>;

type Acting = { from: Address; isPolicyAccount: boolean };

/** Creates the scope of one request for an action of the account `from`. */
export function createScope(context: Context, caller: Caller, { from, isPolicyAccount }: Acting, now: bigint) {
  const { db, config, tokens } = context;
  const warnings: Warning[] = [];
  const publications: (() => Promise<unknown>)[] = [];
  const known = new Map<Address, Promise<Token>>();

  /** Adds a warning, once. */
  const warn = (code: Warning["code"], message: string) => {
    if (!warnings.some((one) => one.message === message)) warnings.push({ code, message });
  };

  /** The answer of another operation. */
  const read = <Input extends z.ZodObject, Output extends z.ZodType, Needed extends BaseContext>(
    operation: Operation<Input, Output, Needed>,
    input: z.input<Input>,
  ): Promise<z.input<Output>> =>
    operation.run(context as unknown as Needed, operation.input.parse(input) as z.output<Input>, caller);

  /** Checks a document, and remembers to publish it. */
  const toPublish = ({ publish, check, uriOf }: Publishable, sent: Record<string, string>) => {
    requirePermission(context, publish, caller);
    const input = parseInput(context, publish, sent);
    const { hash } = check(input as never);
    publications.push(() => runValid(context, publish, input, caller));
    return { uri: uriOf(hash, caller.baseUrl), hash };
  };

  const findToken = async (address: Address): Promise<Token> => {
    const found = (await tokens.find([address], TOKEN_WAIT_MS, caller)).get(address);
    return found ?? { address, symbol: null, name: null, decimals: null, source: "unknown" };
  };

  const tokenAt = (address: Address): Promise<Token> => {
    const token = known.get(address) ?? findToken(address);
    known.set(address, token);
    return token;
  };

  /** Warns about a token that is not on the list of the chain, and about one that has the symbol of a listed one. */
  const checkToken = ({ address, symbol, source }: Token) => {
    if (source === "list") return;
    warn("unlisted_token", `Token ${address} is not on the token list of the chain. Anyone can create a token.`);
    const ways = new Set(symbol === null ? [] : skeletonsOf(symbol));
    for (const listed of config.listed.values())
      if (skeletonsOf(listed.symbol).some((one) => ways.has(one)))
        warn(
          "look_alike_token",
          `Token ${address} has a symbol like that of the listed token ${listed.symbol}, which is ${listed.address}.`,
        );
  };

  /** A token as a summary names it: by its symbol only if it is listed. */
  const tokenName = async (address: Address): Promise<string> => {
    const token = await tokenAt(address);
    checkToken(token);
    if (token.source === "list") return token.symbol ?? address;
    return `the unlisted token ${address}${token.symbol === null ? "" : ` (which calls itself ${quotedText(token.symbol)})`}`;
  };

  /** The value of an amount at the newest price of the last day. */
  const dollarsOf = async (amount: bigint, address: Address): Promise<Decimal | null> => {
    if (!config.listed.has(address)) return null;
    await context.store();
    const price = await newestUnitPrice(db, { chainId: config.chainId, address, now });
    return price && { digits: amount * price.digits, scale: price.scale };
  };

  /** An amount with its token and its value, such as "955.00 tUSD ($955.00)". */
  const money = async (amount: bigint, address: Address): Promise<string> => {
    const { symbol, decimals, source } = await tokenAt(address);
    if (source === "list" && decimals !== null) {
      const value = await dollarsOf(amount, address);
      const rounded = value && roundedHalfUp(value, DOLLAR_DECIMALS);
      const dollars = rounded && ` ($${formatAmount(rounded.digits, rounded.scale)})`;
      return `${formatAmount(amount, decimals)} ${symbol ?? "of the native coin"}${dollars ?? ""}`;
    }
    const name = await tokenName(address);
    return decimals === null ? `${amount} units of ${name}` : `${formatAmount(amount, decimals)} of ${name}`;
  };

  /** The address of a token that the sender names. */
  const token = (field: string, term: TokenTerm): Address => {
    if ("address" in term) return term.address;
    const { symbol } = term;
    const native = nativeOf(config.chainId);
    const known = [...config.listed.values(), ...(native ? [{ ...native, address: zeroAddress }] : [])];
    const [only, other] = known.filter((one) => one.symbol.toLowerCase() === symbol.toLowerCase());
    if (only && !other) return only.address;
    throw new BadInput(
      only
        ? `${field}: ${symbol} is the symbol of several listed tokens; give the address`
        : `${field}: no listed token has the symbol ${symbol}; give its address`,
    );
  };

  /** An amount in the smallest unit of a token. A symbol must be the token's. */
  const amount = async (field: string, term: AmountTerm, address: Address): Promise<bigint> => {
    if ("raw" in term) return term.raw;
    const { symbol, decimals, source } = await tokenAt(address);
    const hasSymbol = symbol !== null && term.symbol.toLowerCase() === symbol.toLowerCase();
    if (!hasSymbol)
      throw new BadInput(
        source === "pending"
          ? `${field}: the token ${address} could not be read; give the amount in its smallest unit`
          : `${field}: must be in ${source === "list" ? symbol : `the token ${address}`}, not in ${term.symbol}`,
      );
    const parsed = readAmount(term.number, { decimals });
    if ("problem" in parsed) throw new BadInput(`${field}: ${term.number} ${parsed.problem}`);
    if (parsed.amount > maxUint256) throw new BadInput(`${field}: is more than the contract's largest number`);
    return parsed.amount;
  };

  return {
    context,
    caller,
    from,
    isPolicyAccount,
    now,
    warnings,
    warn,
    read,
    token,
    tokenName,
    amount,
    money,
    dollarsOf,

    /** The listed token, or the native coin, that an amount names by its symbol. Throws if it has none, or nothing has it. */
    tokenOf(field: string, term: AmountTerm): Address {
      if ("raw" in term) throw new BadInput(`${field}: is required, or a symbol in the amount, such as 1,000.5 tUSD`);
      return token(field, { symbol: term.symbol });
    },

    /** A time in unix seconds that is not over: a contract refuses one that is. */
    time(field: string, term: TimeTerm): bigint {
      const time = "at" in term ? term.at : now + term.after;
      if (time <= now) throw new BadInput(`${field}: ${formatSecond(time)} is over; choose a later time`);
      return time;
    },

    /** A time for people, with a warning if it is near. */
    until(time: bigint): string {
      const shown = formatSecond(time);
      if (time <= now) warn("deadline", `The time ${shown} is over.`);
      else if (time - now < SHORT_SECONDS) warn("deadline", `The time ${shown} is only ${time - now} seconds away.`);
      return shown;
    },

    /** Warns if what is received is worth much less than what is given. */
    async compareTrade(
      given: { amount: bigint; token: Address },
      received: { amount: bigint; token: Address },
      who: string,
    ): Promise<void> {
      const [give, get] = await Promise.all([
        dollarsOf(given.amount, given.token),
        dollarsOf(received.amount, received.token),
      ]);
      if (!give || !get || give.digits === 0n) return;
      const scale = Math.max(give.scale, get.scale);
      const [left, right] = [give, get].map(({ digits, scale: own }) => digits * 10n ** BigInt(scale - own));
      if (left === undefined || right === undefined || right * 100n >= left * (100n - MAX_LOSS_PERCENT)) return;
      const percent = ((left - right) * 100n) / left;
      warn("price", `At the prices of the feeds, ${who} gives away ${percent} % of the value.`);
    },

    /** Warns about an approval or a limit without bounds. */
    checkUnlimited(amount: bigint, what: string): void {
      if (amount >= UNLIMITED) warn("unlimited", `${what} is practically unlimited.`);
    },

    /** A record by its kind and id, with its name in quotes: anyone can use any name. */
    async record(kind: Named, id: bigint | string): Promise<string> {
      const { names } = await read(getNames, { records: `${kind}-${id}` });
      const [named] = names;
      return `${kind} ${id}${named ? ` (named ${quotedText(named.name)})` : ""}`;
    },

    /** Warns about a participant that is not known, or that should be reviewed or avoided before it is paid or hired. */
    async checkParticipant(kind: TrustKind, id: string, amount?: { amount: bigint; token: Address }): Promise<void> {
      const payment = amount && { amount: String(amount.amount), token: amount.token };
      try {
        const { verdict, reasons } = await read(trust.check, { kind, id, ...payment });
        const messages = reasons.filter(({ level }) => level !== "info").map(({ message }) => message);
        if (verdict !== "proceed") warn("counterparty", `The ${kind} ${id}: ${verdict}. ${messages.join(" ")}`);
      } catch (error) {
        if (!(error instanceof NotFound)) throw error;
        warn("counterparty", `No ${kind} ${id} is registered.`);
      }
    },

    /** Publishes metadata as a catalog, with {@link publish}. Returns where it will be, and its hash. */
    publishMetadata: (metadata: Record<string, unknown>): { uri: string; hash: Hex } =>
      toPublish(catalogs, { catalog_json: JSON.stringify(metadata) }),

    /** Publishes a statement about a receipt, such as a complaint, with {@link publish}. Returns its hash. */
    publishStatement: (type: string, receiptId: string, content: Record<string, unknown>): Hex =>
      toPublish(evidenceDocuments, {
        fulfillment_evidence_json: JSON.stringify({ type, receipt_id: receiptId, ...content }),
      }).hash,

    /** Publishes the documents of the action, once nothing else of it can fail. */
    async publish(): Promise<void> {
      for (const store of publications) await store();
    },
  };
}

/** Whether a token is the native coin. */
export const isNative = (token: Address): boolean => token === zeroAddress;
