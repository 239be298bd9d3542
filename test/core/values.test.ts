import { eq, sql } from "drizzle-orm";
import { pino } from "pino";
import { type Address, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { clockAt } from "../../api/core/clock";
import { createGateway } from "../../api/gateway";
import type { Store } from "../../api/offchain/open";
import { offchainBid, tokenPrice } from "../../api/offchain/tables";
import { dollarField } from "../../api/prices/value";
import { parseEnvironment } from "../../config/environment";
import type { ListedToken } from "../../config/token-list";
import { intent } from "../../ponder.schema";
import { addressOf, type Item, type Parameters } from "../support/lists/asking";
import { type RecordedIndex, recordedIndex } from "../support/recorded-index";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { withoutIndex } from "../support/without-index";

/** The schema that {@link startStack} uses. */
const SCHEMA = "intentry_test";

/** A chain of its own in the store, so that no other test sees the prices. */
const CHAIN_ID = 990_034;

const HOUR = 3_600n;

/** A fraction of integers. */
type Fraction = { over: bigint; under: bigint };

/** Rounds half away from zero, by the remainder of a division. */
function rounded({ over, under }: Fraction, decimals: number): string {
  const scaled = (over < 0n ? -over : over) * 10n ** BigInt(decimals);
  const units = scaled / under + ((scaled % under) * 2n >= under ? 1n : 0n);
  const digits = String(units).padStart(decimals + 1, "0");
  const text = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, "");
  return over < 0n && units > 0n ? `-${text}` : text;
}

describe("the values of rows, on the sample chain", () => {
  let stack: SampleStack;
  let index: RecordedIndex;
  let gateway: ReturnType<typeof createGateway>;
  let listed: Map<Address, ListedToken>;
  /** Prices in billionths of a dollar, by token and hour. Null for a row without a price. */
  const prices = new Map<string, bigint | null>();

  const request = async (path: string, parameters: Parameters = {}): Promise<Item> => {
    const response = await gateway.request(addressOf(path, parameters));
    const body = await response.text();
    expect(response.status, `${path}: ${body}`).toBe(200);
    return JSON.parse(body) as Item;
  };

  const itemsOf = async (path: string, parameters: Parameters = {}): Promise<Item[]> =>
    Object.values(await request(path, { ...parameters, limit: "100" })).find(Array.isArray) as Item[];

  const bidsOfIntents = async () =>
    (
      await Promise.all((await itemsOf("/intents")).map(({ intent_id }) => itemsOf(`/intents/${intent_id}/bids`)))
    ).flat();

  beforeAll(async () => {
    stack = await sampleStack();
    index = recordedIndex(stack.databaseUrl, SCHEMA);
    const { timestamp } = await stack.client.getBlock();
    const store = index.db as Store["db"];
    listed = new Map();
    gateway = createGateway(
      {
        ...withoutIndex,
        db: index.db,
        config: {
          ...parseEnvironment({ NODE_ENV: "test" }),
          devHelpers: true,
          chainId: CHAIN_ID,
          contracts: stack.contracts,
          cursorSecret: async () => "a secret for tests",
          listed,
        },
        store: async () => store,
        head: async () => ({
          ...{ historyDone: true, isComplete: true, block: 1n, timestamp, builtBlock: 1n, revision: "1" },
        }),
        clock: async () => clockAt(timestamp),
      },
      pino({ level: "silent" }),
    );
    await store.delete(tokenPrice).where(eq(tokenPrice.chainId, CHAIN_ID));
    await store.delete(offchainBid).where(eq(offchainBid.chainId, CHAIN_ID));

    /** Every token and hour of an event. */
    const moments = new Map<string, { token: Address; hour: bigint }>();
    const add = (token: unknown, time: unknown) => {
      const hour = (BigInt(String(time)) / HOUR) * HOUR;
      moments.set(`${token} ${hour}`, { token: token as Address, hour });
    };
    const intents = await itemsOf("/intents");
    for (const { input_token, output_token, submitted_at, fill } of intents)
      for (const token of [input_token, output_token]) {
        add(token, submitted_at);
        if (fill) add(token, (fill as Item).filled_at);
      }
    for (const { token, settled_at } of await itemsOf("/receipts")) add(token, settled_at);
    for (const { token, committed_at } of await itemsOf("/quotes")) add(token, committed_at);
    for (const { token, executed_at } of await itemsOf("/settlements")) add(token, executed_at);
    const ofIntent = new Map(intents.map((one) => [one.intent_id, one]));
    for (const { intent_id, created_at } of await bidsOfIntents())
      for (const key of ["input_token", "output_token"]) add(ofIntent.get(intent_id)?.[key], created_at);

    // Each token but the native coin is listed, and each of its hours has a price, except the first, and one without a row.
    const tokens = new Set([...moments.values()].map(({ token }) => token));
    tokens.delete(zeroAddress);
    for (const [at, address] of [...tokens].sort().entries())
      listed.set(address, {
        ...{ address, symbol: `T${at}`, name: `Token ${at}`, logo: null, stablecoin: false, feeds: [] },
        decimals: [6, 18, 0][at % 3] ?? 8,
      });
    for (const [at, { token, hour }] of [...moments.values()].sort((a, b) => Number(a.hour - b.hour)).entries()) {
      const decimals = listed.get(token)?.decimals;
      if (decimals === undefined || at === 1) continue;
      const price = at === 0 ? null : 1_234_567_891n * BigInt(at) + 5n;
      prices.set(`${token} ${hour}`, price);
      const dollars = price === null ? null : rounded({ over: price, under: 10n ** 9n }, 9);
      await store.insert(tokenPrice).values({
        ...{ chainId: CHAIN_ID, address: token, hour, price: dollars },
        unitPrice:
          price === null ? null : rounded({ over: price, under: 10n ** 9n * 10n ** BigInt(decimals) }, 9 + decimals),
      });
    }
  }, 180_000);
  afterAll(async () => {
    const store = index.db as Store["db"];
    await store.delete(tokenPrice).where(eq(tokenPrice.chainId, CHAIN_ID));
    await store.delete(offchainBid).where(eq(offchainBid.chainId, CHAIN_ID));
    await index.close();
  });

  /** The dollar value of an amount at a time. */
  function dollars(amount: unknown, token: unknown, time: unknown): string | null {
    const hour = (BigInt(String(time)) / HOUR) * HOUR;
    const price = prices.get(`${token} ${hour}`);
    const decimals = listed.get(token as Address)?.decimals;
    if (price === undefined || price === null || decimals === undefined) return null;
    return rounded({ over: BigInt(String(amount)) * price, under: 10n ** 9n * 10n ** BigInt(decimals) }, 6);
  }

  function priceOf(tokens: Item, amountIn: unknown, amountOut: unknown): string | null {
    const [input, output] = [listed.get(tokens.input_token as Address), listed.get(tokens.output_token as Address)];
    const under = BigInt(String(amountIn)) * 10n ** BigInt(output?.decimals ?? 0);
    if (!input || !output || under === 0n) return null;
    return rounded({ over: BigInt(String(amountOut)) * 10n ** BigInt(input.decimals), under }, 18);
  }

  const minus = (amount: unknown, other: unknown) => BigInt(String(amount)) - BigInt(String(other));

  function basisPoints(surplus: bigint, minimum: unknown): string | null {
    const least = BigInt(String(minimum));
    if (least === 0n) return null;
    const scaled = surplus * 10_000n;
    return String((scaled - (((scaled % least) + least) % least)) / least);
  }

  /** What a trade of an intent is worth at a time. */
  const worth = (of: Item, amountIn: unknown, amountOut: unknown, time: unknown) => ({
    price: priceOf(of, amountIn, amountOut),
    amount_in_usd: dollars(amountIn, of.input_token, time),
    amount_out_usd: dollars(amountOut, of.output_token, time),
    surplus_bps: basisPoints(minus(amountOut, of.amount_out_min), of.amount_out_min),
    surplus_usd: dollars(minus(amountOut, of.amount_out_min), of.output_token, time),
  });

  it("are those of intents and fills: the limits at submission, the fill and the surplus at the fill", async () => {
    const intents = await itemsOf("/intents");
    const fills = new Map((await itemsOf("/fills")).map((fill) => [fill.intent_id, fill]));
    let known = 0;
    for (const item of intents) {
      const {
        price: limit,
        amount_in_usd,
        amount_out_usd,
      } = worth(item, item.amount_in_max, item.amount_out_min, item.submitted_at);
      const fill = item.fill as Item | null;
      const filled = fill && worth(item, fill.amount_in, fill.amount_out, fill.filled_at);
      expect(item).toMatchObject({
        ...{ amount_in_usd, amount_out_usd, price: filled ? filled.price : limit },
        surplus_bps: filled?.surplus_bps ?? null,
        surplus_usd: filled?.surplus_usd ?? null,
        fill: filled && { amount_in_usd: filled.amount_in_usd, amount_out_usd: filled.amount_out_usd },
      });
      if (amount_out_usd !== null) known++;
      expect(await request(`/intents/${item.intent_id}`)).toEqual(item);
      const { owner, input_token, output_token } = item;
      if (fill)
        expect(fills.get(item.intent_id)).toEqual({
          ...{ intent_id: item.intent_id, owner, input_token, output_token },
          ...fill,
          ...filled,
        });
    }
    expect(fills.size).toBe(intents.filter(({ fill }) => fill !== null).length);
    expect(known).toBeGreaterThan(0);
  });

  it("are those of bids at the time of the bid, in every list", async () => {
    const intents = new Map((await itemsOf("/intents")).map((one) => [one.intent_id, one]));
    const bids = await bidsOfIntents();
    expect(bids.length).toBeGreaterThan(0);
    for (const bid of bids) {
      const of = intents.get(bid.intent_id) ?? {};
      expect(bid).toMatchObject(worth(of, bid.amount_in, bid.amount_out, bid.created_at));
      expect(await request(`/bids/${bid.bid_id}`)).toEqual(bid);
    }
    const listedBids = await itemsOf("/bids");
    const byId = (one: Item, other: Item) => String(one.bid_id).localeCompare(String(other.bid_id));
    expect([...listedBids].sort(byId)).toEqual([...bids].sort(byId));
  });

  it("are those of quotes, receipts and settlements", async () => {
    const paid = [
      { path: "/quotes", amount: "amount", time: "committed_at", id: "quote_hash" },
      { path: "/receipts", amount: "amount", time: "settled_at", id: "receipt_id" },
      { path: "/settlements", amount: "gross_amount", time: "executed_at", id: "execution_hash" },
    ];
    let known = 0;
    for (const { path, amount, time, id } of paid)
      for (const item of await itemsOf(path)) {
        const expected = dollars(item[amount], item.token, item[time]);
        expect(item).toMatchObject({ amount_usd: expected });
        expect(await request(`${path}/${item[id]}`)).toMatchObject(item);
        if (expected !== null) known++;
      }
    expect(known).toBeGreaterThan(0);
  });

  it("of an off-chain bid below the minimum are negative", async () => {
    const [open] = (await itemsOf("/intents", { status: "open" })).filter(
      ({ amount_out_min, output_token }) => amount_out_min !== "0" && listed.has(output_token as Address),
    );
    if (!open) throw new Error("The sample has no open intent with a listed output token");
    const { timestamp } = await stack.client.getBlock();
    const hour = (timestamp / HOUR) * HOUR;
    const token = open.output_token as Address;
    const decimals = listed.get(token)?.decimals ?? 0;
    const store = index.db as Store["db"];
    if (!prices.get(`${token} ${hour}`)) {
      prices.set(`${token} ${hour}`, 2_500_000_000n);
      const under = 10n ** 9n * 10n ** BigInt(decimals);
      const [price, unitPrice] = ["2.5", rounded({ over: 2_500_000_000n, under }, 9 + decimals)];
      const row = { chainId: CHAIN_ID, address: token, hour, price, unitPrice };
      await store
        .insert(tokenPrice)
        .values(row)
        .onConflictDoUpdate({ target: [tokenPrice.chainId, tokenPrice.address, tokenPrice.hour], set: row });
    }
    const body = { solver: open.owner, amount_in: "3", amount_out: "1", valid_until: "4000000000" };
    const response = await gateway.request(`/intents/${open.intent_id}/bids`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const made = (await response.json()) as Item;
    expect(response.status, JSON.stringify(made)).toBe(201);
    const expected = worth(open, 3n, 1n, made.created_at);
    expect(made).toMatchObject(expected);
    expect(expected.surplus_bps).toMatch(/^-/);
    const [found] = (await itemsOf(`/intents/${open.intent_id}/bids`)).filter(({ bid_id }) => bid_id === made.bid_id);
    expect(found).toEqual(made);
    expect(await request(`/bids/${made.bid_id}`)).toEqual(made);
    // The list of all intents has on-chain bids only.
    expect((await itemsOf("/bids", { intent_id: String(open.intent_id) })).map(({ source }) => source)).not.toContain(
      "offchain",
    );
  });

  it("are null of a token that is not listed", async () => {
    const token = stack.contracts.TestDollar;
    const known = listed.get(token);
    if (!known) throw new Error("TestDollar is not in the sample");
    listed.delete(token);
    const items = await itemsOf("/intents", { input_token: token, limit: "100" });
    listed.set(token, known);
    expect(items.length).toBeGreaterThan(0);
    for (const item of items) expect(item.price).toBeNull();
    const native = (await itemsOf("/settlements")).filter((item) => item.token === zeroAddress);
    for (const { amount_usd } of native) expect(amount_usd).toBeNull();
  });

  it("are exact for the largest amount", async () => {
    const [known] = [...prices].filter(([, price]) => price !== null);
    if (!known) throw new Error("No price");
    const [key] = known;
    const [token = "", hour = ""] = key.split(" ");
    const most = 2n ** 256n - 1n;
    const [row] = await index.db
      .select({
        value: dollarField(
          sql`${sql.raw(String(most))}::numeric`,
          sql`${sql.raw(`'${token}'`)}`,
          sql`${sql.raw(String(BigInt(hour) + 59n))}::bigint`,
        ),
      })
      .from(intent)
      .limit(1)
      .prepare("largest")
      .execute({ chainId: CHAIN_ID });
    expect(row?.value).toBe(dollars(most, token, hour));
  });
});
