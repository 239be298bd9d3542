import type { Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SearchResult } from "../../client/src/api";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { firstPaint, isInteractive, openExplorer, rowKeys, shownFields } from "./explorer-page";
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
    await explorer.page.getByText("May spend at most 100.00 tUSD per day").waitFor();
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
