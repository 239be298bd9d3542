import { describe, expect, it } from "vitest";
import { readNames, recordsIn } from "../../explorer/names";
import type { Reads } from "../../explorer/reads";
import { shownTexts } from "../../explorer/shown-texts";
import { partsOf } from "../../explorer/text/mentions";

type Query = (input: { records: string }) => Promise<{ names: object[] }>;

/** A client that has only the names. */
const clientOf = (query: Query) => ({ search: { names: { query } } }) as unknown as Reads;

describe("the names of the records on a page", () => {
  it("are those of the ids in its data, once each, in their order", () => {
    const receipts = [
      { receipt_id: "9", merchant_id: "2", service_numeric_id: "3" },
      { receipt_id: "8", merchant_id: "2", service_numeric_id: "4" },
    ];
    expect(recordsIn({ receipts, events: [{ args: { agentId: "5", intentId: "1" } }] })).toEqual([
      "merchant-2",
      "service-3",
      "service-4",
      "agent-5",
    ]);
    expect(recordsIn({ merchant_id: null, solver_id: "x", attestor_id: { merchant_id: "1" }, toString: "1" })).toEqual([
      "merchant-1",
    ]);
  });

  it("are also those of the accounts, after the records, and of what sentences mention", () => {
    const [owner, solver, token] = ["a", "b", "c"].map((digit) => `0x${digit.repeat(40)}`);
    const events = [{ summary: `${solver} bid for intent #4 of Agent #5, and "merchant #6" of ${owner}.` }];
    const none = `0x${"0".repeat(40)}`;
    expect(recordsIn({ owner, input_token: token, facilitator: none, merchant_id: "7", events })).toEqual([
      "merchant-7",
      "agent-5",
      `account-${owner}`,
      `account-${solver}`,
    ]);
  });

  it("of an account are the names of its record", async () => {
    const account = `0x${"a".repeat(40)}`;
    const client = clientOf(async () => ({
      names: [{ type: "solver", id: "2", name: "Swift", metadata_state: "verified", account }],
    }));
    expect(await readNames(client, [`account-${account}`], () => undefined)).toEqual({
      "solver-2": "Swift",
      [`account-${account}`]: "Swift",
    });
  });

  it("are read at once, at most 200, and not at all without records", async () => {
    const asked: string[] = [];
    const client = clientOf(async ({ records }) => {
      asked.push(records);
      return { names: [{ type: "merchant", id: "2", name: "Skyline", metadata_state: "verified" }] };
    });
    const unexpected = (error: unknown) => {
      throw error;
    };
    const records = Array.from({ length: 300 }, (_, index) => `merchant-${index}`);
    expect(await readNames(client, records, unexpected)).toEqual({ "merchant-2": "Skyline" });
    expect(await readNames(client, [], unexpected)).toEqual({});
    const accounts = Array.from({ length: 200 }, (_, index) => `account-0x${String(index).padStart(40, "a")}`);
    await readNames(client, accounts, unexpected);
    expect(asked).toEqual([records.slice(0, 200).join(), accounts.slice(0, 117).join()]);
  });

  it("are missing if they can't be read, which is reported", async () => {
    const failures: unknown[] = [];
    const client = clientOf(() => Promise.reject(new Error("away")));
    expect(await readNames(client, ["merchant-1"], (error) => failures.push(error))).toEqual({});
    expect(failures).toEqual([new Error("away")]);
  });
});

describe("the texts of a page", () => {
  it("have no invisible characters, also if they are shown in full", () => {
    const text = `a\u202e${"b".repeat(2_000)}`;
    expect(shownTexts({ list: [text] })).toEqual({ list: [`a\ufffd${"b".repeat(998)}…`] });
    expect(shownTexts({ list: [text] }, Number.POSITIVE_INFINITY)).toEqual({ list: [`a\ufffd${"b".repeat(2_000)}`] });
    expect(shownTexts("a\n\tb 👨‍👩‍👧")).toBe("a\n\tb 👨‍👩‍👧");
  });
});

describe("the tokens in a sentence", () => {
  const symbolsIn = (sentence: string) => partsOf(sentence).flatMap(({ is, text }) => (is === "symbol" ? [text] : []));
  const token = `0x${"c".repeat(40)}`;

  it("are apart from the fee of a bid, which has none", () => {
    const numbersIn = (sentence: string) =>
      partsOf(sentence).flatMap(({ is, text }) => (is === "number" ? [text] : []));
    expect(numbersIn("Bid #1: 1.00 tUSD in, 2.00 tUSD out, fee 123456789012, valid until 1 Jan 2030")).toEqual([
      "123456789012",
    ]);
    expect(numbersIn('Service #1 ("fee 5") registered by merchant #2')).toEqual([]);
  });

  it.each([
    ["Bid #1 on intent #58: 25,000.00 tUSD in, 7.92747 tWETH out, fee 5000000", ["tUSD", "tWETH"]],
    ["It may spend at most 0.01 USD.e a day.", ["USD.e"]],
    ["It paid 5.00 tUSD.", ["tUSD"]],
    [`It may pay 0x1 in tUSD: at most 250.00 a payment, at most 1,000.00 a day`, []],
    ["It paid 12.50 tUSD, 12.50 today", ["tUSD"]],
    ["It paid 12.50 aUSD, 12.50 todays", ["aUSD", "todays"]],
    // Not listed, of an unknown symbol, without decimals, and quoted by someone.
    [`It paid 5.00 tUSD (token ${token})`, []],
    [`It paid 5.00 of token ${token}`, []],
    [`It paid 965000000 of token ${token} until 11 Dec 2026 09:48 UTC`, []],
    ['Agent #1 registered, with metadata at "5.00 tUSD"', []],
    [`${"1".repeat(10_000)}.00 tUSD`, ["tUSD"]],
  ])("%s", (sentence, symbols) => {
    expect(symbolsIn(sentence)).toEqual(symbols);
    expect(
      partsOf(sentence)
        .map(({ text }) => text)
        .join(""),
    ).toBe(sentence);
  });
});
