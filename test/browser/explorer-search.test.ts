import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchResult } from "../../client/src/api";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { openExplorer, rowKeys } from "./explorer-page";
import { ALICE, catalogHash } from "./explorer-samples";

describe.runIf(hasChromium)("the explorer's search", () => {
  let stack: SampleExplorer["stack"];
  let browser: SampleExplorer["browser"];
  let explorer: SampleExplorer["explorer"];
  let read: SampleExplorer["read"];

  beforeAll(async () => {
    ({ stack, browser, explorer, read } = await openSampleExplorer());
  });
  afterAll(() => browser?.close());

  it("finds records by id, address and hash", async () => {
    const search = async (text: string) => {
      await explorer.page.goto("/");
      await explorer.page.getByLabel("Search by name").fill(text);
      await explorer.page.getByLabel("Search by name").press("Enter");
      await explorer.page.waitForURL(/\/explore\//);
      return new URL(explorer.page.url()).pathname;
    };
    expect(await search(ALICE.toUpperCase().replace("0X", "0x"))).toBe(`/explore/accounts/${ALICE}`);
    expect(await search(catalogHash)).toBe(`/explore/documents/catalogs/${catalogHash}`);
    const { intents } = await read<{ intents: { intent_id: string; intent_hash: string; metadata: unknown }[] }>(
      "/intents",
    );
    const plain = intents.find(({ metadata }) => metadata === null);
    expect(await search(plain?.intent_hash ?? "")).toBe(`/explore/intents/${plain?.intent_id}`);
    expect(await search("6")).toBe("/explore/intents/6");
    expect(await search("#6")).toBe("/explore/intents/6");
    const { input_token } = await read<{ input_token: string }>("/intents/1");
    expect(await search("tUSD")).toBe(`/explore/tokens/${input_token}`);
    expect(await search("1")).toBe("/explore/search");
    await explorer.page.locator("#matches").getByRole("link", { name: "Intent #1" }).waitFor();
    await explorer.page.locator("#results").getByRole("link", { name: "Skyline Data" }).click();
    await explorer.page.waitForURL("**/explore/merchants/1");
    expect(await search("<b>nothing</b>")).toBe("/explore/search");
    await explorer.page.getByText("Nothing found").waitFor();
  });

  it.each([true, false])("finds records by name with filters, with JavaScript: %s", async (javaScriptEnabled) => {
    const { page, close } = await openExplorer(browser, stack.apiUrl, { javaScriptEnabled });
    const results = async (query: string) => {
      const found = await read<{ results: SearchResult[] }>(`/search?${query}`);
      return found.results.map(({ type, id }) => `${type} ${id}`);
    };
    await page.goto("/");
    await page.getByLabel("Search by name").fill("weather");
    await page.getByLabel("Search by name").press("Enter");
    await page.waitForURL("**/explore/search?q=weather");
    const all = await results("q=weather");
    expect(all).toContain("service 1");
    expect(await rowKeys(page, "#results")).toEqual(all);
    await page.locator("#results").getByText("Hourly weather forecasts for any city.").waitFor();
    await page.locator("#results .status-verified").first().waitFor();
    await page.getByLabel("Type").selectOption("service");
    await page.getByLabel("State").selectOption("active");
    await page.getByRole("button", { name: "Find" }).click();
    await page.waitForURL("**/explore/search?q=weather&type=service&active=true");
    const services = await results("q=weather&type=service&active=true");
    expect(services.length).toBeLessThan(all.length);
    expect(await rowKeys(page, "#results")).toEqual(services);
    await page.goto("/explore/search?type=agent");
    expect(await rowKeys(page, "#results")).toEqual(await results("type=agent&limit=50"));
    await close();
  });

  it("rejects filters that are not valid with the API's message", async () => {
    for (const [query, message] of [
      ["type=robot", "type: must be one of"],
      ["q=a&active=maybe", "active: must be"],
      [`q=${"a".repeat(201)}`, "q: must be a text of at most 200 characters"],
      ["type=agent&cursor=abc", "cursor:"],
    ] as const) {
      const response = await fetch(`${stack.apiUrl}/explore/search?${query}`, { headers: { accept: "text/html" } });
      expect([query, response.status]).toEqual([query, 400]);
      expect(await response.text()).toContain(message);
    }
  });

  it("had no errors, no violations of its policy and no requests to other hosts", async () => {
    expect(await explorer.problems()).toEqual([]);
  });
});
