import { describe, expect, it } from "vitest";
import type { Intent, Token } from "../../client/src/api";
import type { Page } from "../../explorer/page";
import { describeIntent, describeMerchant } from "../../explorer/social/descriptions";
import { pageOfPicture, pictureOf, summaryOf } from "../../explorer/social/head";
import { linesOf } from "../../explorer/social/lines";
import { renderPicture } from "../../explorer/social/picture";
import { counted, wordsOf } from "../../explorer/social/words";

const [dollar, ether, unlisted, owner, solver] = ["1", "2", "3", "a", "b"].map((digit) => `0x${digit.repeat(40)}`);

const tokenOf = (address: string | undefined, symbol: string, decimals: number, source: Token["source"]) =>
  ({ address, symbol, name: symbol, decimals, source, chain_id: 31337 }) as Token;

const tokens = [
  tokenOf(dollar, "tUSD", 6, "list"),
  tokenOf(ether, "tWETH", 18, "list"),
  tokenOf(unlisted, "USDC", 6, "contract"),
];

const words = wordsOf({ tokens, names: { [`account-${owner}`]: "Harbor Trader", "merchant-1": "Skyline" } });

const open = {
  intent_id: "5",
  owner,
  status: "OPEN",
  input_token: dollar,
  output_token: ether,
  amount_in_max: "1000000000",
  amount_out_min: "300000000000000000",
  deadline: "1794684300",
  fill: null,
} as unknown as Intent;

describe("the words of a page", () => {
  it("name amounts by listed symbols, and others also by their addresses", () => {
    expect(words.amount("1000000000", dollar ?? "")).toBe("1,000 tUSD");
    expect(words.amount("1500000", unlisted ?? "")).toBe("1.5 USDC 0x3333…3333");
    expect(words.amount("7", `0x${"9".repeat(40)}`)).toBe("7 units of 0x9999…9999");
  });

  it("name records and accounts by their names, or by ids and addresses", () => {
    expect([words.record("merchant", "1"), words.record("merchant", "2")]).toEqual(["Skyline", "merchant #2"]);
    expect([words.account(owner ?? ""), words.account(solver ?? "")]).toEqual(["Harbor Trader", "0xbbbb…bbbb"]);
    expect([counted("1", "bid"), counted(2, "bid"), counted("0", "bid")]).toEqual(["1 bid", "2 bids", "0 bids"]);
  });
});

describe("the description of a record", () => {
  it("says what an intent swaps, and how it ended", () => {
    const trade = "Harbor Trader offers 1,000 tUSD for at least 0.3 tWETH.";
    expect(describeIntent(open, 3, words)).toBe(`${trade} Open until 14 Nov 2026 19:25 UTC, with 3 bids so far.`);
    expect(describeIntent({ ...open, status: "CANCELLED" }, 3, words)).toBe(`${trade} Cancelled by its owner.`);
    const fill = { solver, amount_in: "990000000", amount_out: "310000000000000000", filled_at: "1794684300" };
    expect(describeIntent({ ...open, status: "FILLED", fill } as unknown as Intent, 3, words)).toBe(
      "Harbor Trader swapped 990 tUSD for 0.31 tWETH. Filled by 0xbbbb…bbbb on 14 Nov 2026 19:25 UTC.",
    );
  });

  it("says what a merchant did, and what it says about itself", () => {
    const reputation = { commerce: { receipts: "2", fulfilled_receipts: "1" }, disputes: { disputes: "1" } };
    expect(
      describeMerchant({ active: true, metadata: { description: "Weather by request." } }, reputation as never),
    ).toBe("A merchant with 2 receipts, 1 of them fulfilled, and 1 dispute. Weather by request.");
  });

  it("is one line of bounded length", () => {
    const state = { data: { text: `a\n ${"b".repeat(1_000)}` }, tokens, names: {}, parameters: {} };
    const text = ({ text }: { text: string }) => text;
    const page = { path: "/x", title: text, description: text } as unknown as Page;
    const { title, description } = summaryOf(page, state);
    expect(title).toBe(`a ${"b".repeat(117)}…`);
    expect(description).toBe(`a ${"b".repeat(297)}…`);
    expect(summaryOf({ ...page, description: undefined } as unknown as Page, state).description).toContain("Intentry");
  });
});

describe("the picture of a page", () => {
  it("has an address of its own", () => {
    for (const path of ["/", "/explore/intents/1", "/explore/intents"])
      expect(pageOfPicture(pictureOf(path))).toBe(path);
    expect(pageOfPicture("/explore/intents/1")).toBeUndefined();
  });

  it("breaks its texts into lines that have room, also within long words", () => {
    expect(linesOf("one two three", 5, 2)).toEqual(["one two", "three"]);
    expect(linesOf("one two three four", 5, 2)).toEqual(["one two", "three…"]);
    expect(linesOf("", 5, 2)).toEqual([]);
    const lines = linesOf("漢".repeat(100), 10, 3);
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line.length).toBeLessThan(11);
    expect(lines[2]).toMatch(/…$/);
  });

  it("shows hostile texts as text, without characters that XML does not allow", () => {
    const title = `<script>alert("x")</script>&\u0000\ud800\u202e${"w".repeat(10_000)}`;
    const svg = renderPicture({ title, description: title, chainId: 1 });
    expect(svg).not.toContain("<script");
    expect(svg).not.toMatch(/[\p{Cs}\p{Cc}\u202e]/u);
    expect(svg).toContain("&lt;script>");
    expect(svg.length).toBeLessThan(4_000);
  });
});
