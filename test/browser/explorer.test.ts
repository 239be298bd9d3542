import type { Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sumOfDecimals } from "../../explorer/text/decimals";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { firstPaint, isInteractive, openExplorer, rolesOf, rowKeys, shownFields } from "./explorer-page";
import { ALICE, catalogHash } from "./explorer-samples";

const MAX_FIRST_VIEW_BYTES = 150_000;
const MAX_FIRST_PAINT_MS = 1_000;

describe.runIf(hasChromium)("the explorer in a browser", () => {
  let stack: SampleExplorer["stack"];
  let browser: SampleExplorer["browser"];
  let explorer: SampleExplorer["explorer"];
  let read: SampleExplorer["read"];

  beforeAll(async () => {
    ({ stack, browser, explorer, read } = await openSampleExplorer());
  });
  afterAll(() => browser?.close());

  type Series = { points: { start: string; value: string }[] };

  /** The values of a metric in the intervals that the API answers for this query. */
  const valuesOf = async (query: string) =>
    (await read<Series>(`/analytics/timeseries?${query}`)).points.map(({ value }) => value);

  it("shows the network and the totals at /", async () => {
    await explorer.page.goto("/");
    const { summary } = await read<{ summary: Record<string, string> }>("/analytics/commerce");
    const shown = await shownFields(explorer.page);
    expect(shown.chain_id?.text).toBe("31337");
    for (const field of ["merchants", "receipts", "disputes", "open_disputes"])
      expect([field, shown[field]?.exact]).toEqual([field, summary[field]]);
    await explorer.page.locator(".network", { hasText: "Chain 31337" }).waitFor();
    await explorer.page.locator(".event-text", { hasText: "Intent #6 submitted by" }).waitFor();
  });

  it("leads with the last 24 hours: dollars, fills, agents that paid and receipts, as the API counts them", async () => {
    await explorer.page.goto("/");
    const shown = await shownFields(explorer.page);
    const day = async (query: string) => sumOfDecimals((await valuesOf(`interval=hour&${query}`)).slice(-24));
    const volumes = [await day("metric=fill_volume&unit=usd"), await day("metric=receipt_volume&unit=usd")];
    expect(shown.volume_usd_24h?.exact).toBe(sumOfDecimals(volumes));
    expect(shown.fills_24h?.exact).toBe(await day("metric=fills"));
    expect(shown.receipts_24h?.exact).toBe(await day("metric=receipts"));
    const { ranking } = await read<{ ranking: unknown[] }>("/leaderboard/agents?window=24h&limit=100");
    expect(shown.active_agents_24h?.text).toBe(String(ranking.length));
    expect(Number(volumes[0])).toBeGreaterThan(0);
  });

  it("charts a metric in a range, with the values of the API, at the pointer, by keyboard and as a table", async () => {
    const { page } = explorer;
    for (const [name, range, query] of [
      ["Intents", "30 d", "metric=intents&interval=day"],
      ["Disputes", "30 d", "metric=disputes&interval=day"],
      ["Fills", "All", "metric=fills&interval=day"],
    ] as const) {
      await page.goto("/");
      await page.getByRole("link", { name, exact: true }).last().click();
      await page.getByRole("link", { name: range, exact: true }).click();
      await page.getByRole("heading", { name, exact: true }).waitFor();
      await isInteractive(page);
      const { points } = await read<Series>(`/analytics/timeseries?${query}`);
      const rows = await page.$$eval("#trend tbody tr", (all) =>
        all.map((row) => ({ start: row.getAttribute("data-key"), value: row.querySelector("data")?.value })),
      );
      expect([name, rows]).toEqual([name, points.filter(({ value }) => value !== "0")]);
      expect(rows.length).toBeGreaterThan(0);
      const tip = page.locator("#trend .tip strong");
      await page.locator("#trend .plot").focus();
      await page.keyboard.press("End");
      await expect.poll(() => tip.innerText()).toBe(points.at(-1)?.value);
      await page.keyboard.press("ArrowLeft");
      await expect.poll(() => tip.innerText()).toBe(points.at(-2)?.value);
      const columns = page.locator("#trend .column");
      await page.locator("#trend .plot").hover({ position: { x: 2, y: 20 } });
      const [first] = points.slice(-(await columns.count()));
      await expect.poll(() => tip.innerText()).toBe(first?.value);
    }
  });

  it("shows the best solvers, merchants and agents of 7 days, with their dollars", async () => {
    await explorer.page.goto("/");
    for (const board of ["solvers", "merchants", "agents"]) {
      const { ranking } = await read<{
        ranking: { key: string; volume_usd: string; id: string; name: string | null }[];
      }>(`/leaderboard/${board}?window=7d&limit=5`);
      expect(ranking.length).toBeGreaterThan(0);
      const shown = await explorer.page.$$eval(`#top-${board} li`, (items) =>
        items.map((item) => [
          item.getAttribute("data-key"),
          item.querySelector("data")?.value,
          item.querySelector("a")?.textContent,
        ]),
      );
      expect(shown).toEqual(
        ranking.map(({ key, volume_usd, id, name }) => [
          key,
          volume_usd,
          name ?? `${board[0]?.toUpperCase()}${board.slice(1, -1)} #${id}`,
        ]),
      );
    }
  });

  it("says what an intent trades, how it stands and who competes for it", async () => {
    type Bid = { bid_id: string; amount_out: string };
    const { page } = explorer;
    const { bids } = await read<{ bids: Bid[] }>("/intents/1/competition");
    await page.goto("/explore/intents/1");
    expect(await page.locator("h1 .amount data").first().innerText()).toBe("990");
    const { status, surplus_bps, deadline } = await shownFields(page);
    const intent = await read<Record<string, string>>("/intents/1");
    expect(status?.text).toBe("Filled");
    expect(surplus_bps?.exact).toBe(intent.surplus_bps);
    expect(Date.parse(deadline?.time ?? "") / 1000).toBe(Number(intent.deadline));
    expect(await rowKeys(page, "#bids")).toEqual(bids.map(({ bid_id }) => bid_id));
    const bars = await page.$$eval("#bids .bars li", (items) =>
      items.map((item) => [item.getAttribute("data-key"), item.querySelector("data")?.value]),
    );
    expect(bars).toEqual(bids.map(({ bid_id, amount_out }) => [bid_id, amount_out]));
    expect(await page.getByText("Thrifty").count()).toBeGreaterThan(0);
  });

  it("shows an intent's JSON, and copies its request as curl", async () => {
    const copying = await openExplorer(browser, stack.apiUrl, { permissions: ["clipboard-read", "clipboard-write"] });
    await copying.page.goto("/explore/intents/1");
    await isInteractive(copying.page);
    await copying.page.getByRole("link", { name: "JSON" }).click();
    expect(JSON.parse(await copying.page.locator("pre").innerText())).toEqual(await read("/intents/1"));
    await isInteractive(copying.page);
    await copying.page.getByRole("button", { name: /Copy curl/ }).click();
    await expect
      .poll(() => copying.page.evaluate("navigator.clipboard.readText()"))
      .toBe(`curl '${stack.apiUrl}/intents/1'`);
    await copying.close();
  });

  it("shows an account's agents, intents, receipts and policies as sentences", async () => {
    const account = stack.contracts.PolicyAccount.toLowerCase();
    const { policies } = await read<{ policies: { policy_type: string }[] }>(`/accounts/${account}/policies`);
    await explorer.page.goto(`/explore/accounts/${account}`);
    const types = await explorer.page.$$eval("[data-policy]", (items) =>
      items.map((item) => item.getAttribute("data-policy")),
    );
    expect(types).toEqual(policies.map(({ policy_type }) => policy_type));
    await explorer.page.getByText("May spend at most 100 tUSD per day").waitFor();
    await explorer.page.goto(`/explore/accounts/${ALICE}`);
    const { intents } = await read<{ intents: { intent_id: string }[] }>(`/intents?owner=${ALICE}`);
    const { receipts } = await read<{ receipts: { receipt_id: string }[] }>(`/receipts?agent=${ALICE}`);
    expect(await rowKeys(explorer.page, "#records")).toEqual(intents.map(({ intent_id }) => intent_id));
    expect(await rolesOf(explorer.page)).toEqual(["agent-1"]);
    await explorer.page.goto(`/explore/accounts/${ALICE}?tab=receipts`);
    expect(await rowKeys(explorer.page, "#records")).toEqual(receipts.map(({ receipt_id }) => receipt_id));
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

  it("says why a transaction would not pass, and offers the transactions that fix it, to copy", async () => {
    const account = stack.contracts.PolicyAccount.toLowerCase();
    const request = { account, target: stack.contracts.CommerceRegistry.toLowerCase(), value: "5" };
    const response = await fetch(`${stack.apiUrl}/preflight`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(request),
    });
    const expected = (await response.json()) as {
      reasons: string[];
      required_policy_updates: { call: { to: string; data: string } }[];
    };
    await explorer.page.goto("/explore/preflight");
    await explorer.page.getByLabel("Account").fill(request.account);
    await explorer.page.getByLabel("Target").fill(request.target);
    await explorer.page.getByLabel("Value in wei").fill(request.value);
    await explorer.page.getByRole("button", { name: "Would this pass?" }).click();
    await explorer.page.locator("#result").getByText("Denied").first().waitFor();
    const attributes = (name: string) =>
      explorer.page.$$eval(`#reasons [${name}]`, (all, of) => all.map((element) => element.getAttribute(of)), name);
    expect(await attributes("data-reason")).toEqual(expected.reasons);
    const { call } = expected.required_policy_updates[0] ?? { call: { to: "", data: "" } };
    expect(await attributes("data-fix")).toEqual(expected.required_policy_updates.map((update) => update.call.data));
    await explorer.page.getByText("An account calls only addresses on its allowlist").waitFor();
    await explorer.page.locator(".fix", { hasText: "Allow calls of" }).waitFor();
    expect(await explorer.page.locator(".command pre").first().innerText()).toBe(
      `cast send ${call.to} ${call.data} --from ${request.account} --rpc-url $RPC_URL`,
    );
    await explorer.page.getByRole("link", { name: "Use the API" }).click();
    await explorer.page.waitForURL("**/docs#operation-preflight.check");
    await explorer.page.goBack();
    await isInteractive(explorer.page);
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
      // The best of several: other tests may use the processor at the same time.
      for (let load = 0; load < 8 && Math.min(...times) >= MAX_FIRST_PAINT_MS; load++) {
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
