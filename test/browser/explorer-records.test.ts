import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Token } from "../../client/src/api";
import { formatAmount, groupDigits } from "../../common/format";
import { shortNumber } from "../../explorer/text/short-number";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import {
  type ExplorerPage,
  isInteractive,
  openExplorer,
  shownAmounts,
  shownFields,
  shownSentences,
  showsValue,
} from "./explorer-page";
import { ALICE, newestBlock, type SampleRecord, sampleRecords } from "./explorer-samples";

describe.runIf(hasChromium)("the records in the explorer", () => {
  let stack: SampleExplorer["stack"];
  let browser: SampleExplorer["browser"];
  let explorer: SampleExplorer["explorer"];
  let read: SampleExplorer["read"];
  let records: SampleRecord[];

  beforeAll(async () => {
    ({ stack, browser, explorer, read } = await openSampleExplorer());
    records = await sampleRecords(stack.apiUrl);
  });
  afterAll(() => browser?.close());

  /** The scalar fields of a record in the API that a page does not show with the same value. */
  async function missingFields(page: ExplorerPage["page"], { api, part, section, elsewhere }: SampleRecord) {
    const response = await read<Record<string, unknown>>(api);
    const record = (part === undefined ? response : response[part]) as Record<string, unknown>;
    const shown = await shownFields(page, section);
    return Object.entries(record).flatMap(([field, value]) => {
      const isScalar = value === null || typeof value === "string" || typeof value === "number";
      // Objects that may be absent have their own sections.
      if (!isScalar || elsewhere.includes(field) || (value === null && !(field in shown))) return [];
      const found = shown[field];
      return found && showsValue(found, value) ? [] : [{ field, value, found }];
    });
  }

  it("shows every field of every record with the value of the API", async () => {
    for (const record of records) {
      await explorer.page.goto(record.path);
      await isInteractive(explorer.page);
      expect([record.path, await missingFields(explorer.page, record)]).toEqual([record.path, []]);
    }
    expect(await explorer.problems()).toEqual([]);
  });

  it("shows the records without JavaScript", async () => {
    const plain = await openExplorer(browser, stack.apiUrl, { javaScriptEnabled: false });
    for (const record of records) {
      await plain.page.goto(record.path);
      expect([record.path, await missingFields(plain.page, record)]).toEqual([record.path, []]);
    }
    await plain.close();
  });

  it.each([
    ["/", ""],
    ["/explore/intents/1?tab=events", "intent_id=1"],
    ["/explore/merchants/1", "merchant_id=1"],
    // What its account pays and trades.
    ["/explore/agents/1", `account=${ALICE}`],
  ])("shows the newest events of %s, also without JavaScript", async (path, filter) => {
    const { events } = await read<{ events: { summary: string; finality: string }[] }>(
      `/events/recent?limit=50&${filter}`,
    );
    expect(events).not.toEqual([]);
    const plain = await openExplorer(browser, stack.apiUrl, { javaScriptEnabled: false });
    for (const { page } of [plain, explorer]) {
      await page.goto(path);
      expect(await shownSentences(page)).toEqual(
        events.map(({ summary, finality }) => ({ text: summary.toLowerCase(), state: finality })),
      );
    }
    await plain.close();
  });

  it("shows amounts in short whole tokens with the symbol, and the exact ones as the title", async () => {
    const account = stack.contracts.PolicyAccount.toLowerCase();
    const symbols = new Set<string | null>();
    for (const path of [
      "/",
      "/explore/intents",
      "/explore/intents/1",
      "/explore/receipts/1",
      `/explore/accounts/${account}`,
    ]) {
      await explorer.page.goto(path);
      const amounts = (await shownAmounts(explorer.page)).filter(({ token }) => token !== null);
      expect([path, amounts.length > 0]).toEqual([path, true]);
      for (const { exact, text, title, token, unit } of amounts) {
        const { symbol, decimals } = await read<Token>(`/tokens/${token}`);
        symbols.add(symbol);
        const whole = decimals === null ? groupDigits(exact) : formatAmount(BigInt(exact), decimals);
        const isUnknown = decimals === null;
        expect([path, title]).toEqual([path, isUnknown ? whole : `${whole} (${exact} of the smallest unit)`]);
        expect([path, [whole, shortNumber(whole.replaceAll(",", ""))].includes(text)]).toEqual([path, true]);
        expect(unit).toContain(symbol ?? "units of 0x");
      }
    }
    expect(symbols).toEqual(new Set(["tUSD", "ETH", null]));
    await explorer.page.goto("/explore/intents/1");
    const { amount_in_max: amount } = await shownFields(explorer.page, "#terms");
    expect(amount?.text).toBe("1,000.00 tUSD (1000000000)");
  });

  it("shows the names that owners publish, with the state of the metadata", async () => {
    for (const [record, title, name, state] of [
      ["merchants/1", "Merchant #1", "Skyline Data", "Verified"],
      ["services/1", "Service #1", "City Weather", "Verified"],
      ["agents/1", "Agent #1", "Harbor Trader", "Unverified"],
    ]) {
      await explorer.page.goto(`/explore/${record}`);
      expect(await explorer.page.title()).toBe(`${name}, ${title} · Intentry`);
      expect(await explorer.page.locator("h1 bdi").innerText()).toBe(name);
      expect(await explorer.page.locator(".heading .kind").innerText()).toBe(title);
      expect(await explorer.page.locator(".claims .status").innerText()).toBe(state);
    }
  });

  it("heads the page of an account with its name and its address", async () => {
    await explorer.page.goto(`/explore/accounts/${ALICE}`);
    expect(await explorer.page.title()).toBe("Account Harbor Trader · Intentry");
    expect(await explorer.page.locator("h1").innerText()).toBe("Harbor Trader");
    expect(await explorer.page.locator(".heading .lead code").innerText()).toBe(ALICE);
    const nameless = `0x${"ab".repeat(20)}`;
    await explorer.page.goto(`/explore/accounts/${nameless}`);
    expect(await explorer.page.locator("h1 code").innerText()).toBe(nameless);
    expect(await explorer.page.locator(".heading .lead").count()).toBe(0);
  });

  it("shows records by their names in lists, in other records and in transactions, with the id beside", async () => {
    const { receipts } = await read<{
      receipts: { merchant_id: string; service_numeric_id: string; tx_hash: string }[];
    }>("/receipts");
    const [receipt] = receipts;
    for (const [path, kind, id] of [
      ["/explore/merchants", "merchant", "1"],
      ["/explore/services", "service", "1"],
      ["/explore/services", "merchant", "1"],
      ["/explore/receipts", "merchant", receipt?.merchant_id],
      ["/explore/receipts/1", "service", "1"],
      ["/explore/quotes", "merchant", "1"],
      ["/explore/solvers", "solver", "2"],
      [`/explore/accounts/${ALICE}`, "agent", "1"],
      [`/explore/transactions/${receipt?.tx_hash}`, "service", receipt?.service_numeric_id],
    ] as const) {
      const { names } = await read<{ names: { name: string }[] }>(`/names?records=${kind}-${id}`);
      expect([kind, id, names.length]).toEqual([kind, id, 1]);
      await explorer.page.goto(path);
      const link = explorer.page.locator(`main a[href="/explore/${kind}s/${id}"]`).first();
      expect([path, await link.innerText()]).toEqual([path, names[0]?.name]);
      expect([path, await link.locator("xpath=following-sibling::span[1]").innerText()]).toEqual([path, `#${id}`]);
    }
  });

  it("shows a block's events in its order, and says when it has none", async () => {
    const block = await newestBlock(stack.apiUrl);
    await explorer.page.goto(`/explore/blocks/${block}`);
    const { events } = await read<{ events: { id: string; tx_hash: string }[] }>(
      `/events/recent?block_number=${block}`,
    );
    const shown = await explorer.page.$$eval("[data-event]", (items) =>
      items.map((item) => [
        item.getAttribute("data-event"),
        item.querySelector("a[href^='/explore/transactions/']")?.getAttribute("href"),
      ]),
    );
    expect(shown).toEqual(events.reverse().map(({ id, tx_hash }) => [id, `/explore/transactions/${tx_hash}`]));
    expect(shown).not.toEqual([]);
    await explorer.page.getByRole("link", { name: "Block before" }).click();
    await explorer.page.waitForURL(`**/explore/blocks/${Number(block) - 1}`);
    await explorer.page.goto("/explore/blocks/0");
    await explorer.page.getByText("No events of the protocol in this block").waitFor();
    for (const [path, status] of [
      ["/explore/blocks/999999999", 404],
      [`/explore/blocks/${"9".repeat(77)}`, 404],
      ["/explore/blocks/one", 400],
    ] as const)
      expect([path, (await fetch(stack.apiUrl + path)).status]).toEqual([path, status]);
  });

  it("shows the status of the service, with its contracts", async () => {
    const { contracts } = await read<{ contracts: Record<string, string> }>("/protocol");
    await explorer.page.goto("/status");
    await explorer.page.waitForURL("**/explore/status");
    const fields = await shownFields(explorer.page);
    for (const [name, address] of Object.entries(contracts)) expect(fields[name]?.text).toBe(address);
    expect(fields.progress?.text).toContain("100 %");
    expect(fields.build?.text).toContain("Complete");
    await explorer.page.getByRole("heading", { name: "Everything works" }).waitFor();
  });

  it("had no errors, no violations of its policy and no requests to other hosts", async () => {
    expect(await explorer.problems()).toEqual([]);
  });
});
