import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commerceRegistryAbi } from "../../abis/index";
import { runLegalActions } from "../support/legal-actions";
import {
  askAll,
  askPage,
  type Item,
  type List,
  lists,
  type Page,
  type Parameters,
  pagesByCursor,
  pagesByOffset,
} from "../support/lists/asking";
import { type Stack, startStack } from "../support/stack";
import { type Newcomers, newcomersOn } from "./lists/new-rows";
import { documented, opposite } from "./lists/orders";

/** Seed 2 creates rows of every kind. addRows adds to the kinds with few rows. */
const SEED = 2;
const ACTIONS = 200;
const ROUNDS_BEFORE = 4;

/** The values of each filter that are combined with other orders than the default. */
const VALUES_IN_ORDER = 4;

/** Groups items by the required parameters of their list, such as the owner, the intent or the account. */
type Group = { required: Parameters; items: Item[] };

const itemsOf = (pages: readonly Page[]) => pages.flatMap(({ items }) => items);

/** The documented order of a list. Throws if it is missing here. */
function documentedOf({ name }: List) {
  const found = documented[name];
  if (!found) throw new Error(`The order of ${name} is missing in lists/orders.ts`);
  return found;
}

/** The merchants of receipts. A dispute has only its receipt. */
const merchantOfReceipt = new Map<string, string>();

/** The fields that filters with other names are about. */
const fieldOf: Readonly<Record<string, string>> = { schema: "schema_hash", service_id: "service_numeric_id" };

/** The values of an item for a filter. A fill matches with either token. */
function filterValues(item: Item, filter: string): string[] {
  if (filter === "merchant_id" && "dispute_id" in item)
    return [merchantOfReceipt.get(String(item.receipt_id)) ?? "unknown"];
  if (filter === "fulfilled") return [String(item.fulfillment_hash !== null)];
  if (filter === "token" && "input_token" in item) return [String(item.input_token), String(item.output_token)];
  const field = filter === "service_id" && !("service_numeric_id" in item) ? filter : (fieldOf[filter] ?? filter);
  return [String(item[field])];
}

const timeFilters = new Set(["from", "to"]);

/** Whether an item of a list matches filters. */
const matcher = ({ name }: List) => {
  const time = documented[name]?.time ?? "";
  return (item: Item, filters: Parameters) =>
    Object.entries(filters).every(([filter, value]) => {
      if (filter === "from") return BigInt(String(item[time])) >= BigInt(value);
      if (filter === "to") return BigInt(String(item[time])) < BigInt(value);
      return filterValues(item, filter).includes(value);
    });
};

/** Whether a list can have these filters together. */
const isCombinable = ({ name }: List, filters: Parameters) =>
  Object.entries(documented[name]?.dependent ?? {}).every(
    ([filter, needed]) => !(filter in filters) || needed.some((other) => other in filters),
  );

/** Times between the items of a list: some have rows on both sides, and one is later than all rows. */
function timesOf({ name }: List, items: readonly Item[]): string[] {
  const time = documented[name]?.time;
  if (time === undefined) return [];
  const times = items.map((item) => BigInt(String(item[time]))).sort((a, b) => Number(a - b));
  const [first, middle, last] = [times[0], times[Math.floor(times.length / 2)], times.at(-1)];
  return [first, middle, last, last && last + 1n].flatMap((at) => (at === undefined ? [] : [String(at)]));
}

const distinct = (values: readonly string[]) => [...new Set(values)];

describe("lists", () => {
  let stack: Stack;
  let newcomers: Newcomers;
  /** Quotes in the order of their first commitment on chain. */
  let committed: string[];

  beforeAll(async () => {
    stack = await startStack({ index: false });
    await runLegalActions(stack, { seed: SEED, count: ACTIONS });
    newcomers = await newcomersOn(stack);
    for (let round = 0; round < ROUNDS_BEFORE; round++) await newcomers.addRows();
    await stack.startIndexer();
    for (const { receiptId, merchantId } of await stack.rows("receipt"))
      merchantOfReceipt.set(String(receiptId), String(merchantId));
    const quotes = await stack.client.getContractEvents({
      abi: commerceRegistryAbi,
      address: stack.contracts.CommerceRegistry,
      eventName: "QuoteCommitted",
      fromBlock: 0n,
      strict: true,
    });
    committed = distinct(quotes.map(({ args }) => args.quoteHash));
  }, 300_000);
  afterAll(() => stack?.stop());

  /** Items in the documented order. */
  const inOrder = (list: List, items: readonly Item[]): Item[] => {
    const { order, nameOf } = documentedOf(list);
    const place = (item: Item) => committed.indexOf(nameOf(item));
    return [...items].sort(order ?? ((one, other) => place(other) - place(one)));
  };

  /** The values of a list's required parameters. */
  async function requirements({ name }: List): Promise<Parameters[]> {
    switch (name) {
      case "bids.list":
        return distinct((await stack.rows("bid")).map(({ intentId }) => intentId)).map((id) => ({ id }));
      case "accounts.policies":
        return distinct((await stack.rows("policy")).map(({ account }) => account)).map((address) => ({ address }));
      default:
        return [{}];
    }
  }

  /** Attestations require a filter. These two together match all. */
  const partsOf = ({ name }: List): Parameters[] =>
    name === "attestations.list" ? [{ revoked: "false" }, { revoked: "true" }] : [{}];

  async function groupsOf(list: List): Promise<Group[]> {
    const groups: Group[] = [];
    for (const required of await requirements(list)) {
      const parts: Item[][] = [];
      for (const part of partsOf(list)) parts.push(await askAll(stack.apiUrl, list, { ...required, ...part }));
      groups.push({ required, items: parts.length === 1 ? parts.flat() : inOrder(list, parts.flat()) });
    }
    return groups;
  }

  /** Every single filter that matches an item, and times. At most `limit` values of each filter. */
  const singleFilters = (list: List, items: readonly Item[], limit = Number.POSITIVE_INFINITY): Parameters[] =>
    list.filters.flatMap((filter) => {
      const values = timeFilters.has(filter)
        ? timesOf(list, items)
        : items.flatMap((item) => filterValues(item, filter));
      return distinct(values)
        .slice(0, limit)
        .map((value) => ({ [filter]: value }))
        .filter((filters) => isCombinable(list, filters));
    });

  /** Every pair of filters that matches an item. */
  const filterPairs = (list: List, items: readonly Item[]): Parameters[] => {
    const { filters } = list;
    const pairs = filters.flatMap((one, index) => filters.slice(index + 1).map((other) => [one, other]));
    const [first = "", middle = first, last = middle] = timesOf(list, items);
    const pairedValue = (item: Item, filter: string) =>
      filter === "from" ? middle : filter === "to" ? last : (filterValues(item, filter)[0] ?? "");
    const found = items.flatMap((item) =>
      pairs.map((pair) =>
        JSON.stringify(Object.fromEntries(pair.map((filter) => [filter, pairedValue(item, filter)]))),
      ),
    );
    return distinct(found)
      .map((pair) => JSON.parse(pair) as Parameters)
      .filter((pair) => isCombinable(list, pair));
  };

  /** Items in another order of a list. Quotes have no field for it, but the reverse of the default. */
  const inSort = (list: List, sort: string, items: readonly Item[]): Item[] => {
    const order = documentedOf(list).sorts?.[sort];
    if (order) return [...items].sort(order);
    if (opposite[list.sorts[0] ?? ""] !== sort) throw new Error(`sort=${sort} of ${list.name} is not documented`);
    return inOrder(list, items).reverse();
  };

  it("all have a documented order", () => {
    expect(lists.map(({ name }) => name).sort()).toEqual(Object.keys(documented).sort());
  });

  describe.each(lists)("$name", (list) => {
    it("has every row once, in the documented order", async () => {
      const { table, nameOf, nameOfRow } = documentedOf(list);
      const groups = await groupsOf(list);
      const rows = await stack.rows(table);
      const items = groups.flatMap((group) => group.items);
      expect(items.length).toBeGreaterThanOrEqual(5);
      expect(items.map(nameOf).sort()).toEqual(rows.map((row) => nameOfRow(row)).sort());
      for (const group of groups) expect(group.items).toEqual(inOrder(list, group.items));
    });

    it("is the same by offset and by cursor, with and without a filter", async () => {
      const { apiUrl } = stack;
      for (const { required, items } of await groupsOf(list)) {
        const unfiltered = list.name === "attestations.list" ? [] : [{}];
        const matches = matcher(list);
        for (const filters of [...unfiltered, ...singleFilters(list, items)]) {
          const parameters = { ...required, ...filters };
          const expected = items.filter((item) => matches(item, filters));
          const whole = await askPage(apiUrl, list, { ...parameters, limit: "100", total: "true" });
          const count = expected.length;
          expect(whole, JSON.stringify(parameters)).toEqual({
            items: expected,
            pagination: { limit: 100, offset: 0, count, next_cursor: null, total: count },
          });

          const byOffset = await pagesByOffset(apiUrl, list, parameters, { size: 2, count });
          const byCursor = await pagesByCursor(apiUrl, list, { ...parameters, limit: "2" });
          expect(itemsOf(byOffset), JSON.stringify(parameters)).toEqual(expected);
          expect(itemsOf(byCursor), JSON.stringify(parameters)).toEqual(expected);
          expect(byCursor).toHaveLength(byOffset.length);
          for (const [page, { items: onPage, pagination }] of byOffset.entries()) {
            expect(pagination).toMatchObject({ limit: 2, offset: 2 * page, count: onPage.length });
            expect(pagination).not.toHaveProperty("total");
            expect(pagination.next_cursor === null).toBe(page === byOffset.length - 1);
          }
          for (const { items: onPage, pagination } of byCursor)
            expect(pagination).toMatchObject({ limit: 2, offset: 0, count: onPage.length });
        }
      }
    });

    it.runIf(list.sorts.length > 1)("is the same by offset and by cursor in every other order", async () => {
      const { apiUrl } = stack;
      const matches = matcher(list);
      for (const { required, items } of await groupsOf(list))
        for (const sort of list.sorts.slice(1)) {
          const needed = documentedOf(list).requires?.[sort];
          const unfiltered = list.name === "attestations.list" || needed ? [] : [{}];
          const filtered = singleFilters(list, items, VALUES_IN_ORDER).filter(
            (filters) => needed === undefined || needed in filters,
          );
          for (const filters of [...unfiltered, ...filtered]) {
            const parameters = { ...required, ...filters, sort };
            const expected = inSort(
              list,
              sort,
              items.filter((item) => matches(item, filters)),
            );
            const count = expected.length;
            const byCursor = await pagesByCursor(apiUrl, list, { ...parameters, limit: "2" });
            const byOffset = await pagesByOffset(apiUrl, list, parameters, { size: 5, count });
            expect(itemsOf(byCursor), JSON.stringify(parameters)).toEqual(expected);
            expect(itemsOf(byOffset), JSON.stringify(parameters)).toEqual(expected);
          }
        }
    });

    it.runIf(list.sorts.length > 1)("rejects a cursor of another order", async () => {
      const [sort = "", other = ""] = list.sorts;
      const parameters = { ...(list.name === "attestations.list" && { revoked: "false" }), limit: "1" };
      const { pagination } = await askPage(stack.apiUrl, list, parameters);
      const cursor = pagination.next_cursor ?? "";
      const next = await askPage(stack.apiUrl, list, { ...parameters, cursor });
      // The default order by its name is the same order.
      expect(await askPage(stack.apiUrl, list, { ...parameters, sort, cursor })).toEqual(next);
      await expect(askPage(stack.apiUrl, list, { ...parameters, sort: other, cursor })).rejects.toThrow("400");
      await expect(askPage(stack.apiUrl, list, { ...parameters, sort: "other" })).rejects.toThrow("400");
    });

    it("with two filters has the rows that match both", async () => {
      const matches = matcher(list);
      for (const { required, items } of await groupsOf(list))
        for (const filters of filterPairs(list, items)) {
          const expected = items.filter((item) => matches(item, filters));
          const { items: found, pagination } = await askPage(stack.apiUrl, list, {
            ...required,
            ...filters,
            limit: "100",
            total: "true",
          });
          expect(found, JSON.stringify(filters)).toEqual(expected);
          expect(pagination.total).toBe(expected.length);
        }
    });

    it("has a default limit of 50 and a maximum of 100", async () => {
      const [group] = await groupsOf(list);
      const parameters = { ...group?.required, ...partsOf(list)[0] };
      const limitOf = async (asked: Parameters) =>
        (await askPage(stack.apiUrl, list, { ...parameters, ...asked })).pagination.limit;
      expect(await limitOf({})).toBe(50);
      expect(await limitOf({ limit: "101" })).toBe(100);
    });

    it("is empty past its end", async () => {
      const [group] = await groupsOf(list);
      const parameters = { ...group?.required, ...partsOf(list)[0], offset: "1000", total: "true" };
      const { items, pagination } = await askPage(stack.apiUrl, list, parameters);
      expect(items).toEqual([]);
      expect(pagination).toEqual({
        limit: 50,
        offset: 1000,
        count: 0,
        next_cursor: null,
        total: group?.items.filter((item) => matcher(list)(item, partsOf(list)[0] ?? {})).length,
      });
    });
  });

  describe("while rows arrive", () => {
    /** The lists that addRows extends. */
    const growing = ({ name }: List): Parameters => {
      switch (name) {
        case "bids.list":
          return { id: String(newcomers.contested) };
        case "accounts.policies":
          return { address: newcomers.account };
        case "attestations.list":
          return { revoked: "false" };
        default:
          return {};
      }
    };

    /** The initial number of pages of each list. Rows arrive before the second, the third, … page. */
    const PAGES = 4;

    it("repeat no row and skip none when read by cursor", { timeout: 300_000 }, async () => {
      const { apiUrl } = stack;
      const readers = [];
      for (const list of lists) {
        const parameters = growing(list);
        const before = await askAll(apiUrl, list, parameters);
        const limit = String(Math.ceil(before.length / PAGES));
        readers.push({ list, parameters: { ...parameters, limit }, before, seen: [] as Item[], cursor: "" });
      }
      for (let reading = readers, round = 1; reading.length > 0; round++) {
        for (const reader of reading) {
          const { list, parameters, cursor } = reader;
          const page = await askPage(apiUrl, list, { ...parameters, ...(cursor && { cursor }) });
          reader.seen.push(...page.items);
          reader.cursor = page.pagination.next_cursor ?? "";
        }
        reading = reading.filter(({ cursor }) => cursor !== "");
        if (round < PAGES) {
          await newcomers.addRows();
          await stack.indexed();
        }
      }
      for (const { list, parameters, before, seen } of readers) {
        const { nameOf } = documentedOf(list);
        const names = seen.map(nameOf);
        const old = new Set(before.map(nameOf));
        expect(distinct(names), list.name).toEqual(names);
        expect(
          names.filter((name) => old.has(name)),
          list.name,
        ).toEqual(before.map(nameOf));
        const now = itemsOf(await pagesByCursor(apiUrl, list, parameters)).map(nameOf);
        expect(now.length, list.name).toBeGreaterThan(before.length);
        expect(
          now.filter((name) => names.includes(name)),
          list.name,
        ).toEqual(names);
      }
    });
  });
});
