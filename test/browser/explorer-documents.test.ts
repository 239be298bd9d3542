import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Receipt, Settlement } from "../../client/src/api";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { openExplorer, openFolds, rowKeys, shownFields } from "./explorer-page";

/** Every kind of item: priced in a currency, in a token, by number, and not at all. */
const services = [
  {
    service_id: "hour",
    name: "Hour",
    description: "A forecast.",
    unit: "request",
    price: { amount: "4.80", currency: "tUSD" },
  },
  { service_id: "year", name: "Year", description: "All forecasts.", price: 1200 },
  { service_id: "talk", name: "By agreement" },
];

describe.runIf(hasChromium)("transactions and documents in the explorer", () => {
  let stack: SampleExplorer["stack"];
  let browser: SampleExplorer["browser"];
  let explorer: SampleExplorer["explorer"];
  let read: SampleExplorer["read"];

  beforeAll(async () => {
    ({ stack, browser, explorer, read } = await openSampleExplorer());
  });
  afterAll(() => browser?.close());

  /** Publishes a document. Returns the address of its page. */
  async function publish(kind: string, body: Record<string, unknown>): Promise<string> {
    const response = await fetch(`${stack.apiUrl}/${kind}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    const { uri } = (await response.json()) as { uri: string };
    return `/explore/documents/${kind}/${uri.split("/").pop()}`;
  }

  it("says what a transaction did, whom it paid and which receipt belongs to it", async () => {
    const { page } = explorer;
    const { settlements } = await read<{ settlements: Settlement[] }>("/settlements");
    const { receipts } = await read<{ receipts: Receipt[] }>("/receipts?limit=100");
    const settlement = settlements.find(
      ({ lines, quote_hash }) => lines && receipts.some((receipt) => receipt.quote_hash === quote_hash),
    );
    expect(settlement).toBeDefined();
    const { tx_hash, execution_hash, quote_hash, payer, lines } = settlement as Settlement;
    await page.goto(`/explore/transactions/${tx_hash}`);
    const event = page.locator("[data-event=SettlementExecuted]");
    expect(await event.getByRole("link").evaluateAll((all) => all.map((link) => link.getAttribute("href")))).toEqual([
      `/explore/accounts/${payer}`,
      "/explore/search?q=tUSD",
      `/explore/search?q=${quote_hash}`,
      `/explore/settlements/${execution_hash}`,
    ]);
    const rows = await page.$$eval("#settled tbody tr", (all) =>
      all.map((row) => [
        row.getAttribute("data-key"),
        ...[...row.querySelectorAll("a")].map((link) => link.getAttribute("href")),
        row.querySelector("data")?.value,
      ]),
    );
    expect(rows).toEqual(
      lines?.map(({ recipient, token, amount }, index) => [
        `${execution_hash} ${index}`,
        `/explore/accounts/${payer}`,
        `/explore/accounts/${recipient}`,
        `/explore/tokens/${token}`,
        `/explore/settlements/${execution_hash}`,
        amount,
      ]),
    );
    expect(await rowKeys(page, "#receipts")).toEqual(
      receipts.filter((receipt) => receipt.quote_hash === quote_hash).map(({ receipt_id }) => receipt_id),
    );
    const argument = page.locator("[data-field=grossAmount] dd");
    expect(await argument.isVisible()).toBe(false);
    await openFolds(page);
    expect(await argument.innerText()).toBe(settlement?.gross_amount);
  });

  it.each([true, false])("shows a catalog as a price list, with JavaScript: %s", async (javaScriptEnabled) => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl, { javaScriptEnabled });
    const catalog_json = JSON.stringify({ name: "Fair Weather", tags: ["weather"], currency: "EUR", services });
    await page.goto(await publish("catalogs", { catalog_json }));
    expect(await page.locator("h1").innerText()).toBe("Fair Weather");
    expect(await page.locator("#items tbody tr").evaluateAll((all) => all.map((row) => row.textContent))).toEqual([
      "HourA forecast.request4.80 tUSD",
      "YearAll forecasts.none1,200 EUR",
      "By agreementnonenonenot stated",
    ]);
    expect(await page.locator("#exact pre").isVisible()).toBe(false);
    expect(await page.getByText("No record was found that has the hash of this document.").isVisible()).toBe(true);
    expect(await problems()).toEqual([]);
    await close();
  });

  it("shows a document of another shape as JSON only", async () => {
    const { page } = explorer;
    await page.goto(await publish("catalogs", { catalog_json: '[{"services":4}]' }));
    expect(await page.locator("h1").innerText()).toBe("Catalog");
    expect(JSON.parse(await page.locator("#exact pre").innerText())).toEqual([{ services: 4 }]);
    expect(await page.locator("#items, #contents, #offer").count()).toBe(0);
  });

  it("shows an offer with its total, its items and the end of its validity", async () => {
    const { page } = explorer;
    const { quotes } = await read<{ quotes: { quote_hash: string; token: string; merchant_id: string }[] }>("/quotes");
    const [{ quote_hash, token, merchant_id } = { quote_hash: "", token: "", merchant_id: "" }] = quotes;
    const quote = {
      merchant_id,
      token,
      amount: "4800000",
      expires_at: "1795123599",
      items: [{ name: "Hour", amount: "4800000", token }],
    };
    await page.goto(await publish("quote-responses", { quote_response_json: JSON.stringify({ quote_hash, quote }) }));
    expect(await page.locator("h1").innerText()).toMatch(/^Offer of 4.8 /);
    const { "offer.price": price, "offer.expires_at": expires } = await shownFields(page, "#offer");
    expect([price?.exact, expires?.time]).toEqual(["4800000", new Date(1_795_123_599_000).toISOString()]);
    expect(await page.locator("#items tbody tr").count()).toBe(1);
    const link = page.locator(`#commitments a[href='/explore/quotes/${quote_hash}']`);
    expect(await link.count()).toBe(1);
  });

  it("says which record on chain has the hash of a document", async () => {
    const { page } = explorer;
    const { metadata_hash } = await read<{ metadata_hash: string }>("/merchants/1");
    await page.goto(`/explore/documents/catalogs/${metadata_hash}`);
    expect(await page.locator("#commitments li").innerText()).toBe("The metadata of merchant Skyline Data #1");
    const { fulfillment_hash } = await read<{ fulfillment_hash: string }>("/receipts/1");
    await page.goto(`/explore/documents/fulfillment-evidence/${fulfillment_hash}`);
    expect(await page.locator("h1").innerText()).toBe("Delivery about receipt #1");
    expect(await page.locator("#commitments li").innerText()).toBe("The evidence of the delivery of receipt #1");
    await page.locator(".status-verified").waitFor();
  });

  it("had no errors, no violations of its policy and no requests to other hosts", async () => {
    expect(await explorer.problems()).toEqual([]);
  });
});
