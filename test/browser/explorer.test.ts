import { type Browser, chromium, type Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchResult, Token } from "../../client/src/api";
import { formatAmount, groupDigits } from "../../client/src/format";
import { chromiumArguments } from "../support/chromium";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { executablePath } from "./browser";
import {
  type ExplorerPage,
  firstPaint,
  isInteractive,
  openExplorer,
  rowKeys,
  shownAmounts,
  shownFields,
  showsValue,
} from "./explorer-page";
import { ALICE, catalogHash, type SampleRecord, sampleLists, sampleRecords, waitForNames } from "./explorer-samples";

const MAX_FIRST_VIEW_BYTES = 150_000;
const MAX_FIRST_PAINT_MS = 1_000;

describe.skipIf(executablePath === undefined)("the explorer in a browser", () => {
  let stack: SampleStack;
  let browser: Browser;
  let explorer: ExplorerPage;
  let records: SampleRecord[];
  const read = async <Value>(path: string) => (await (await fetch(`${stack.apiUrl}${path}`)).json()) as Value;

  beforeAll(async () => {
    stack = await sampleStack();
    await waitForNames(stack.apiUrl);
    records = await sampleRecords(stack.apiUrl);
    browser = await chromium.launch({ executablePath, args: chromiumArguments });
    explorer = await openExplorer(browser, stack.apiUrl);
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
    ["/explore/intents/1", "intent_id=1"],
    ["/explore/merchants/1", "merchant_id=1"],
  ])("shows the newest events of %s, also without JavaScript", async (path, filter) => {
    const { events } = await read<{ events: { summary: string; finality: string }[] }>(
      `/events/recent?limit=50&${filter}`,
    );
    expect(events).not.toEqual([]);
    const plain = await openExplorer(browser, stack.apiUrl, { javaScriptEnabled: false });
    for (const { page } of [plain, explorer]) {
      await page.goto(path);
      const shown = await page.$$eval(".event", (entries) =>
        entries.map((entry) => [
          entry.querySelector(".event-text")?.textContent,
          entry.querySelector(".status")?.textContent,
        ]),
      );
      expect(shown).toEqual(events.map(({ summary, finality }) => [summary, finality.toUpperCase()]));
    }
    await plain.close();
  });

  it("shows amounts in whole tokens with the symbol, and the exact amount beside", async () => {
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
      for (const { exact, text, token, unit } of amounts) {
        const { symbol, decimals } = await read<Token>(`/tokens/${token}`);
        symbols.add(symbol);
        expect([path, text]).toEqual([
          path,
          decimals === null ? groupDigits(exact) : formatAmount(BigInt(exact), decimals),
        ]);
        expect(unit).toContain(symbol ?? "units of 0x");
      }
    }
    expect(symbols).toEqual(new Set(["tUSD", "ETH", null]));
    await explorer.page.goto("/explore/intents/1");
    const { amount_in_max: amount } = await shownFields(explorer.page, "#terms");
    expect(amount?.text).toMatch(/^1,000\.00 tUSD 0x.{4}….{4} \(1000000000\)$/);
  });

  it("shows the names that owners publish, with the state of the metadata", async () => {
    for (const [record, title, name, state] of [
      ["merchants/1", "Merchant #1", "Skyline Data", "VERIFIED"],
      ["services/1", "Service #1", "City Weather", "VERIFIED"],
      ["agents/1", "Agent #1", "Harbor Trader", "UNVERIFIED"],
    ]) {
      await explorer.page.goto(`/explore/${record}`);
      expect(await explorer.page.title()).toBe(`${name}, ${title} · Intentry`);
      expect(await explorer.page.locator("h1 bdi").innerText()).toBe(name);
      expect(await explorer.page.locator(".heading .kind").innerText()).toBe(title);
      expect(await explorer.page.locator("#metadata .status").innerText()).toBe(state);
    }
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

  it("shows the disputes and the volume of a merchant", async () => {
    await explorer.page.goto("/explore/merchants/1");
    const { disputes } = await read<{ disputes: { dispute_id: string }[] }>("/disputes?merchant_id=1");
    expect(disputes.length).toBeGreaterThan(0);
    expect(await rowKeys(explorer.page, "#disputes")).toEqual(disputes.map(({ dispute_id }) => dispute_id));
    const { commerce } = await read<{ commerce: { settled_volume: string } }>("/merchants/1/reputation");
    const { settled_volume: volume } = await shownFields(explorer.page, "#reputation");
    expect(volume?.text).toContain(`tUSD`);
    expect(volume?.exact).toBe(commerce.settled_volume);
  });

  it.each(sampleLists)("lists %s in the order of the API", async (name, api, property, id) => {
    const response = await read<Record<string, Record<string, string>[]>>(`${api}?limit=50`);
    await explorer.page.goto(`/explore/${name}`);
    expect(await rowKeys(explorer.page)).toEqual(response[property]?.map((row) => row[id]));
  });

  it("filters intents by state, and rejects an unknown state with the API's message", async () => {
    const { intents } = await read<{ intents: { intent_id: string }[] }>("/intents?status=filled");
    await explorer.page.goto("/explore/intents");
    await explorer.page.getByRole("link", { name: "filled" }).click();
    await explorer.page.waitForURL("**/explore/intents?status=filled");
    expect(await rowKeys(explorer.page)).toEqual(intents.map(({ intent_id }) => intent_id));
    const response = await fetch(`${stack.apiUrl}/explore/intents?status=lost`, { headers: { accept: "text/html" } });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("status: must be one of open, filled, cancelled, expired");
  });

  it("shows the network and the totals at /", async () => {
    await explorer.page.goto("/");
    const { summary } = await read<{ summary: Record<string, string> }>("/analytics/commerce");
    const { pagination } = await read<{ pagination: { total: number } }>("/intents?total=true&limit=1");
    const shown = await shownFields(explorer.page);
    const values = {
      chain_id: "31337",
      intents: String(pagination.total),
      merchants: summary.merchants ?? "",
      receipts: summary.receipts ?? "",
      disputes: summary.disputes ?? "",
      open_disputes: summary.open_disputes ?? "",
    };
    for (const [field, value] of Object.entries(values)) expect([field, shown[field]?.text]).toEqual([field, value]);
    await explorer.page.getByText("Intent #6 submitted by").waitFor();
  });

  it("charts intents, fills, disputes and the volume of tokens by day, with the values of the API", async () => {
    type Series = { points: { start: string; value: string }[]; total: string };
    const { volume_by_token } = await read<{ volume_by_token: { token: string }[] }>("/analytics/commerce");
    await explorer.page.goto("/");
    const charts = [
      ...["intents", "fills", "disputes"].map((metric) => [metric, ""] as const),
      ...volume_by_token
        .slice(0, 1)
        .flatMap(({ token }) => [["fill_volume", token] as const, ["receipt_volume", token] as const]),
    ];
    expect(charts).toHaveLength(5);
    await explorer.page.getByRole("heading", { name: "Volume of fills, tUSD" }).waitFor();
    for (const [metric, token] of charts) {
      const query = `metric=${metric}&interval=day${token && `&token=${token}`}`;
      const { points } = await read<Series>(`/analytics/timeseries?${query}`);
      const chart = `[data-series=${metric}]${token && `[data-token="${token}"]`}`;
      const shown = await explorer.page.$$eval(`${chart} tbody tr`, (rows) =>
        rows.map((row) => ({ start: row.getAttribute("data-key"), value: row.querySelector("data")?.value })),
      );
      expect([metric, shown]).toEqual([metric, points.filter(({ value }) => value !== "0")]);
      expect(shown.length).toBeGreaterThan(0);
      expect(await explorer.page.locator(`${chart} svg title`).count()).toBe(points.length);
    }
  });

  it("shows the top solvers and merchants by name", async () => {
    await explorer.page.goto("/");
    for (const type of ["solver", "merchant"]) {
      const { results } = await read<{ results: SearchResult[] }>(`/search?type=${type}&min_fulfilled=1&limit=8`);
      expect(results.length).toBeGreaterThan(0);
      const section = `#top-${type}s`;
      expect(await rowKeys(explorer.page, section)).toEqual(results.map(({ id }) => `${type} ${id}`));
      const names = await explorer.page.$$eval(`${section} tbody a`, (links) => links.map((link) => link.textContent));
      expect(names).toEqual(results.map(({ id, name }) => name ?? `${type[0]?.toUpperCase()}${type.slice(1)} #${id}`));
    }
  });

  it("shows an account's agents, intents, receipts and policies as sentences", async () => {
    const account = stack.contracts.PolicyAccount.toLowerCase();
    const { policies } = await read<{ policies: { policy_type: string }[] }>(`/accounts/${account}/policies`);
    await explorer.page.goto(`/explore/accounts/${account}`);
    const types = await explorer.page.$$eval("[data-policy]", (items) =>
      items.map((item) => item.getAttribute("data-policy")),
    );
    expect(types).toEqual(policies.map(({ policy_type }) => policy_type));
    await explorer.page.getByText(/May spend at most 100\.00 tUSD 0x.{4}….{4} per day/).waitFor();
    await explorer.page.goto(`/explore/accounts/${ALICE}`);
    const { intents } = await read<{ intents: { intent_id: string }[] }>(`/intents?owner=${ALICE}`);
    const { receipts } = await read<{ receipts: { receipt_id: string }[] }>(`/receipts?agent=${ALICE}`);
    expect(await rowKeys(explorer.page, "#intents")).toEqual(intents.map(({ intent_id }) => intent_id));
    expect(await rowKeys(explorer.page, "#receipts")).toEqual(receipts.map(({ receipt_id }) => receipt_id));
    expect(await rowKeys(explorer.page, "#agents")).toEqual(["1"]);
  });

  it("hashes a document in the browser and says whether it has its hash", async () => {
    await explorer.page.goto(`/explore/documents/catalogs/${catalogHash}`);
    await explorer.page.locator(".status-verified").waitFor();
    // A server, or a proxy, that returns other bytes.
    const forged = await openExplorer(browser, stack.apiUrl);
    await forged.page.route(`${stack.apiUrl}/catalogs/${catalogHash}`, (route) => route.fulfill({ body: "{}" }));
    await forged.page.goto(`/explore/documents/catalogs/${catalogHash}`);
    await forged.page.locator(".status-mismatch").waitFor();
    await forged.close();
  });

  it("finds records by id, address and hash", async () => {
    const search = async (text: string) => {
      await explorer.page.goto("/");
      await explorer.page.getByRole("searchbox").fill(text);
      await explorer.page.getByRole("searchbox").press("Enter");
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
    await page.getByRole("searchbox").fill("weather");
    await page.getByRole("searchbox").press("Enter");
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

  it("says whether a transaction would pass, and which calls make it pass", async () => {
    const account = stack.contracts.PolicyAccount.toLowerCase();
    const request = { account, target: stack.contracts.CommerceRegistry.toLowerCase(), value: "5" };
    const response = await fetch(`${stack.apiUrl}/preflight`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const expected = (await response.json()) as {
      reasons: string[];
      required_policy_updates: { call: { data: string } }[];
    };
    await explorer.page.goto("/explore/preflight");
    await explorer.page.getByLabel("Account").fill(request.account);
    await explorer.page.getByLabel("Target").fill(request.target);
    await explorer.page.getByLabel("Value in wei").fill(request.value);
    await explorer.page.getByRole("button", { name: "Would this pass?" }).click();
    await explorer.page.locator("#result").getByText("DENIED").first().waitFor();
    for (const reason of expected.reasons) await explorer.page.getByText(reason).waitFor();
    expect(await rowKeys(explorer.page, "#result section:last-child")).toEqual(
      expected.required_policy_updates.map(({ call }) => call.data),
    );
    await explorer.page.getByLabel("Account").fill("bob");
    await explorer.page.getByRole("button", { name: "Would this pass?" }).click();
    await explorer.page.getByRole("alert").getByText("account: must be an address").waitFor();
  });

  it("transfers at most 150 KB for a first view", async () => {
    for (const path of [
      "/",
      "/explore/intents/1",
      `/explore/documents/catalogs/${catalogHash}`,
      "/explore/portfolio",
    ]) {
      const first = await openExplorer(browser, stack.apiUrl);
      const requests: Request[] = [];
      first.page.on("requestfinished", (request) => {
        if (!request.url().startsWith("data:")) requests.push(request);
      });
      await first.page.goto(path);
      await isInteractive(first.page);
      const sizes = await Promise.all(requests.map((request) => request.sizes()));
      const bytes = sizes.reduce((sum, size) => sum + size.responseBodySize + size.responseHeadersSize, 0);
      expect([path, bytes < MAX_FIRST_VIEW_BYTES]).toEqual([path, true]);
      expect(bytes).toBeGreaterThan(10_000);
      expect(await first.problems()).toEqual([]);
      await first.close();
    }
  });

  it("paints the first text within a second", async () => {
    for (const path of ["/", "/explore/intents/1", "/explore/merchants/1"]) {
      const times: number[] = [];
      // The best of three: other tests may use the processor at the same time.
      for (let load = 0; load < 3; load++) {
        const first = await openExplorer(browser, stack.apiUrl);
        await first.page.goto(path);
        times.push(await firstPaint(first.page));
        await first.close();
      }
      expect(Math.min(...times), `${path}: ${times}`).toBeLessThan(MAX_FIRST_PAINT_MS);
    }
  });

  it("had no errors, no violations of its policy and no requests to other hosts", async () => {
    expect(await explorer.problems()).toEqual([]);
  });
});
