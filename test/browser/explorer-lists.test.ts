import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Receipt } from "../../client/src/api";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { openExplorer, rowKeys } from "./explorer-page";
import { ALICE, sampleLists } from "./explorer-samples";

type Rows = Record<string, Record<string, string>[]> & { pagination: { total: number; count: number } };

describe.runIf(hasChromium)("the explorer's lists", () => {
  let stack: SampleExplorer["stack"];
  let browser: SampleExplorer["browser"];
  let explorer: SampleExplorer["explorer"];
  let read: SampleExplorer["read"];

  beforeAll(async () => {
    ({ stack, browser, explorer, read } = await openSampleExplorer());
  });
  afterAll(() => browser?.close());

  const textOf = async (path: string) => (await fetch(`${stack.apiUrl}${path}`)).text();
  const hrefOf = async (name: string) =>
    (await explorer.page.getByRole("link", { name, exact: true }).getAttribute("href")) ?? "";

  it.each(sampleLists)(
    "lists %s in the order of the API, with the total, as a page, CSV and JSON",
    async (name, api, property, id) => {
      const expected = await read<Rows>(`${api}${api.includes("?") ? "&" : "?"}limit=25&total=true`);
      const ids = expected[property]?.map((row) => row[id] ?? "");
      await explorer.page.goto(`/explore/${name}`);
      expect(await rowKeys(explorer.page)).toEqual(ids);
      expect(await explorer.page.locator(".total data").getAttribute("value")).toBe(String(expected.pagination.total));
      const json = await read<Rows>(await hrefOf("JSON"));
      expect(json[property]).toEqual(expected[property]);
      const [header, ...lines] = (await textOf(await hrefOf("CSV"))).split("\r\n");
      expect(header).toBe(Object.keys(expected[property]?.[0] ?? {}).join());
      expect(lines).toHaveLength((ids?.length ?? 0) + 1);
    },
  );

  it.each([true, false])("filters by links and by the form, with JavaScript: %s", async (javaScriptEnabled) => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl, { javaScriptEnabled });
    const shown = async (query: string) => {
      const { intents } = await read<{ intents: { intent_id: string }[] }>(`/intents?${query}`);
      expect(await rowKeys(page)).toEqual(intents.map(({ intent_id }) => intent_id));
      return intents.length;
    };
    await page.goto("/explore/intents");
    const all = await shown("limit=25");
    await page.getByRole("link", { name: "Filled" }).click();
    await page.waitForURL("**/explore/intents?status=filled");
    const filled = await shown("status=filled");
    expect(filled).toBeLessThan(all);
    await page.getByText("Filter and sort").click();
    await page.getByLabel("Owner").fill(ALICE);
    await page.getByLabel("From").fill("2020-01-01");
    await page.getByLabel("Order").selectOption("oldest");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL(/owner=0x/);
    expect(await shown(`status=filled&owner=${ALICE}&sort=oldest`)).toBeLessThan(filled);
    const chips = await page.locator(".chips [data-filter]").allInnerTexts();
    expect(chips.map((text) => text.split(":")[0])).toEqual(["State", "Owner", "From"]);
    expect(chips[2]).toContain("1 Jan 2020");
    await page.getByRole("link", { name: "Remove the filter Owner" }).click();
    await page.waitForURL((url) => !url.searchParams.has("owner"));
    await shown("status=filled&sort=oldest");
    await page.getByRole("link", { name: "Clear all" }).click();
    await page.waitForURL((url) => !url.searchParams.has("status"));
    await shown("limit=25&sort=oldest");
    expect(await problems()).toEqual([]);
    await close();
  });

  it("sorts by the headers of columns", async () => {
    const { page } = explorer;
    await page.goto("/explore/intents");
    await page.getByRole("link", { name: "Submitted" }).click();
    await page.waitForURL("**/explore/intents?sort=oldest");
    expect(await page.locator("th[aria-sort=ascending]").innerText()).toContain("Submitted");
    await page.getByRole("link", { name: "Deadline" }).click();
    await page.waitForURL("**/explore/intents?sort=deadline");
    const { intents } = await read<{ intents: { intent_id: string }[] }>("/intents?sort=deadline");
    expect(await rowKeys(page)).toEqual(intents.map(({ intent_id }) => intent_id));
    // Amounts of different tokens have no order.
    await page.goto("/explore/receipts");
    expect(await page.getByRole("columnheader", { name: "Amount" }).getByRole("link").count()).toBe(0);
    const { receipts } = await read<{ receipts: Receipt[] }>("/receipts");
    const token = receipts[0]?.token;
    await page.goto(`/explore/receipts?token=${token}`);
    await page.getByRole("columnheader", { name: "Amount" }).getByRole("link").click();
    await page.waitForURL(/sort=amount/);
    const sorted = await read<{ receipts: Receipt[] }>(`/receipts?token=${token}&sort=amount`);
    expect(await rowKeys(page)).toEqual(sorted.receipts.map(({ receipt_id }) => receipt_id));
  });

  it("leads through all pages and back", async () => {
    const { page } = explorer;
    const { intents } = await read<{ intents: { intent_id: string }[] }>("/intents?limit=100");
    const ids = intents.map(({ intent_id }) => intent_id);
    const pages: string[][] = [];
    await page.goto("/explore/intents?limit=2");
    for (let shown = 0; shown < ids.length; ) {
      const keys = await rowKeys(page);
      pages.push(keys);
      expect(await page.locator(".pager > span").first().innerText()).toBe(
        `${shown + 1}–${shown + keys.length} of ${ids.length}`,
      );
      shown += keys.length;
      if (shown < ids.length)
        await Promise.all([page.waitForNavigation(), page.getByRole("link", { name: "Next" }).click()]);
    }
    expect(pages.flat()).toEqual(ids);
    expect(await page.getByRole("link", { name: "Next" }).count()).toBe(0);
    for (const keys of pages.slice(0, -1).reverse()) {
      await Promise.all([page.waitForNavigation(), page.getByRole("link", { name: "Previous" }).click()]);
      expect(await rowKeys(page)).toEqual(keys);
    }
    await page.getByRole("navigation", { name: "Rows of a page" }).getByRole("link", { name: "50" }).click();
    await page.waitForURL("**/explore/intents?limit=50");
    expect(await rowKeys(page)).toEqual(ids);
  });

  it("says what would appear in an empty list", async () => {
    const { page } = explorer;
    await page.goto(`/explore/fills?owner=0x${"ab".repeat(20)}`);
    await page.getByText("No fills match these filters.").waitFor();
    await page.getByRole("link", { name: "Show all fills" }).click();
    await page.waitForURL("**/explore/fills");
  });

  it("rejects a wrong value with the API's message, and keeps the form", async () => {
    for (const [query, message] of [
      ["intents?status=lost", "status: must be one of open, filled, cancelled, expired"],
      ["intents?owner=alice&sort=oldest", "owner: must be an address"],
      ["intents?from=tomorrow", "from: must be unix seconds"],
      ["intents?sort=best", "sort: must be one of"],
      ["bids?status=open", "status: requires solver or intent_id"],
      ["receipts?sort=amount", "token: is required for sort=amount"],
      ["intents?cursor=abc", "cursor:"],
      ["intents?limit=0", "limit: must be"],
    ] as const) {
      const response = await fetch(`${stack.apiUrl}/explore/${query}`);
      const html = await response.text();
      expect([query, response.status]).toEqual([query, 400]);
      expect(html).toContain(message);
      expect(html).toContain('<form class="form"');
      expect((await fetch(`${stack.apiUrl}/explore/${query.replace("?", ".csv?")}`)).status).toBe(400);
    }
    expect(await textOf("/explore/intents?owner=alice")).toContain('value="alice"');
  });

  it("had no errors, no violations of its policy and no requests to other hosts", async () => {
    expect(await explorer.problems()).toEqual([]);
  });
});
