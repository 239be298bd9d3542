import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sumOfDecimals } from "../../explorer/text/decimals";
import { shortDollars } from "../../explorer/text/short-number";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { openFolds, shownFields } from "./explorer-page";
import { sampleLists } from "./explorer-samples";

type Row = Record<string, unknown>;

/** A number or a time of a row: its text, and the exact value that the element carries. */
type Shown = { text: string; value: string; kind: "amount" | "dollars" | "count" | "time" };

/** All scalars of a record of the API, as texts. */
const scalarsIn = (value: unknown): string[] =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(scalarsIn) : [String(value)];

/** Whether the text says the exact value. Other tests compare the texts of amounts, which depend on the token. */
function saysValue({ text, value, kind }: Shown): boolean {
  // Kinds, such as payment rails, are words.
  if (kind === "amount" || kind === "time" || /^[a-z]/.test(text)) return true;
  if (kind === "dollars") return text === shortDollars(value);
  // A ratio, or basis points.
  if (text.endsWith(" %"))
    return [100, 0.01].some((factor) => Math.abs(Number.parseFloat(text) - Number(value) * factor) <= 0.05);
  return text.replaceAll(",", "") === value;
}

describe.runIf(hasChromium)("the numbers in the explorer", () => {
  let browser: SampleExplorer["browser"];
  let explorer: SampleExplorer["explorer"];
  let read: SampleExplorer["read"];

  beforeAll(async () => {
    ({ browser, explorer, read } = await openSampleExplorer());
  });
  afterAll(() => browser?.close());

  /** The numbers and times of the rows of a part of the page. */
  const shownIn = (part: string): Promise<{ key: string; shown: Shown[] }[]> =>
    explorer.page.$$eval(`${part} [data-key]`, (rows) =>
      rows.map((row) => ({
        key: row.getAttribute("data-key") ?? "",
        shown: [...row.querySelectorAll<HTMLDataElement | HTMLTimeElement>("data, time")].map((element) => ({
          text: element.textContent?.trim() ?? "",
          value: "dateTime" in element ? String(Date.parse(element.dateTime) / 1000) : element.value,
          kind: element.matches("time")
            ? "time"
            : element.matches(".usd")
              ? "dollars"
              : element.closest(".amount")
                ? "amount"
                : "count",
        })),
      })),
    ) as Promise<{ key: string; shown: Shown[] }[]>;

  /** Expects that each row shows only numbers and times that the API's row has, and shows some. */
  async function expectNumbersOf(name: string, part: string, expected: readonly Row[], id: string) {
    const rows = await shownIn(part);
    expect([name, rows.map(({ key }) => key)]).toEqual([name, expected.map((row) => String(row[id]))]);
    for (const [index, { key, shown }] of rows.entries()) {
      const scalars = scalarsIn(expected[index]);
      expect([name, key, shown.filter(({ value }) => !scalars.includes(value))]).toEqual([name, key, []]);
      expect([name, key, shown.filter((one) => !saysValue(one))]).toEqual([name, key, []]);
    }
    return rows.reduce((count, { shown }) => count + shown.length, 0);
  }

  it("of every row of a list are those of the API", async () => {
    const withNumbers: string[] = [];
    for (const [name, api, property, id] of sampleLists) {
      const found = await read<Record<string, Row[]>>(`${api}${api.includes("?") ? "&" : "?"}limit=25`);
      await explorer.page.goto(`/explore/${name}`);
      if ((await expectNumbersOf(name, "tbody", found[property] ?? [], id)) > 0) withNumbers.push(name);
    }
    expect(withNumbers).toEqual(expect.arrayContaining(["intents", "bids", "fills", "solvers", "quotes", "receipts"]));
  });

  it.each(["volume", "surplus", "fills", "win_rate"])("of the leaderboard of solvers by %s", async (by) => {
    const { ranking } = await read<{ ranking: Row[] }>(`/solvers/leaderboard?by=${by}&window=30d&limit=100`);
    await explorer.page.goto(`/explore/leaderboards?by=${by}&window=30d`);
    // No solver of the sample paid more than the minimum in listed tokens.
    expect(ranking.length > 0).toBe(by !== "surplus");
    expect(await expectNumbersOf(by, "#ranking", ranking, "solver")).toBeGreaterThanOrEqual(5 * ranking.length);
  });

  it.each(["merchants", "services", "agents", "facilitators"])("of the leaderboard of %s", async (board) => {
    const { ranking } = await read<{ ranking: Row[] }>(`/leaderboard/${board}?window=30d&limit=100`);
    expect(ranking).not.toEqual([]);
    await explorer.page.goto(`/explore/leaderboards?board=${board}&window=30d`);
    expect(await expectNumbersOf(board, "#ranking", ranking, "key")).toBe(5 * ranking.length);
  });

  it("of the newest intents and receipts at /", async () => {
    await explorer.page.goto("/");
    for (const [name, id] of [
      ["intents", "intent_id"],
      ["receipts", "receipt_id"],
    ] as const) {
      const rows = (await read<Record<string, Row[]>>(`/${name}`))[name] ?? [];
      const { length } = await shownIn(`#${name}`);
      expect(await expectNumbersOf(name, `#${name}`, rows.slice(0, length), id)).toBeGreaterThan(length);
    }
  });

  it("of all time at /: totals, tokens and payment rails", async () => {
    type Sums = { summary: Record<string, string>; volume_by_token: Row[]; volume_by_payment_rail: Row[] };
    const { summary, ...by } = await read<Sums>("/analytics/commerce");
    await explorer.page.goto("/");
    await openFolds(explorer.page);
    const fields = await shownFields(explorer.page, "main details");
    const names = ["merchants", "services", "quotes", "settled_quotes", "receipts", "disputes", "open_disputes"];
    expect(names.map((name) => [name, fields[name]?.exact])).toEqual(names.map((name) => [name, summary[name]]));
    const bars = "main > details .bars";
    const [tokens, rails] = [by.volume_by_token.length, by.volume_by_payment_rail.length];
    const rows = await shownIn(bars);
    expect(rows.map(({ key }) => key)).toEqual([
      ...by.volume_by_token.map(({ token }) => token),
      ...by.volume_by_payment_rail.map(({ payment_rail }) => String(payment_rail)),
    ]);
    expect(rows).toHaveLength(tokens + rails);
    for (const [index, { shown }] of rows.entries()) {
      const scalars = scalarsIn([...by.volume_by_token, ...by.volume_by_payment_rail][index]);
      expect(shown.filter(({ value }) => !scalars.includes(value))).toEqual([]);
      expect(shown.filter((one) => !saysValue(one))).toEqual([]);
    }
  });

  it("of the chart's range at / are the sum of its values", async () => {
    await explorer.page.goto("/?metric=intents&range=30d");
    const { points } = await read<{ points: { value: string }[] }>("/analytics/timeseries?metric=intents&interval=day");
    expect(await explorer.page.locator("#trend .note data").getAttribute("value")).toBe(
      sumOfDecimals(points.map(({ value }) => value)),
    );
  });

  it("are shown without errors", async () => {
    expect(await explorer.problems()).toEqual([]);
  });
});
