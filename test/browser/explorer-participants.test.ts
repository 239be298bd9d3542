import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "./browser";
import { openSampleExplorer, type SampleExplorer } from "./explorer-on-sample";
import { openFolds, rowKeys, shownFields } from "./explorer-page";

type Row = Readonly<Record<string, string>>;

/** The tabs of each kind of page: the list of the API, the property with the rows, and their ids. */
const tabs = {
  receipts: ["/receipts", "receipts", "receipt_id"],
  services: ["/services", "services", "service_numeric_id"],
  quotes: ["/quotes", "quotes", "quote_hash"],
  disputes: ["/disputes", "disputes", "dispute_id"],
  attestations: ["/attestations", "attestations", "attestation_id"],
  trust_signals: ["/trust-signals", "trust_signals", "signal_id"],
  fills: ["/fills", "fills", "intent_id"],
  bids: ["/bids", "bids", "bid_id"],
  intents: ["/intents", "intents", "intent_id"],
  settlements: ["/settlements", "settlements", "execution_hash"],
} as const;

describe.runIf(hasChromium)("the lists, scores and threads of records in the explorer", () => {
  let browser: SampleExplorer["browser"];
  let explorer: SampleExplorer["explorer"];
  let read: SampleExplorer["read"];
  let pages: { path: string; lists: Partial<Record<keyof typeof tabs, string>> }[];

  beforeAll(async () => {
    ({ browser, explorer, read } = await openSampleExplorer());
    const [solver, attestor, merchant, agent, facilitator] = await Promise.all(
      ["/solvers/1", "/attestors/1", "/merchants/1", "/agents/1", "/facilitators/1"].map((path) => read<Row>(path)),
    );
    const { input_token: token } = await read<Row>("/intents/1");
    const about = (address: string | undefined) => `subject=0x${"0".repeat(24)}${address?.slice(2)}`;
    pages = [
      {
        path: "/explore/solvers/1",
        lists: {
          fills: `solver=${solver?.operator}`,
          bids: `solver=${solver?.operator}`,
          attestations: about(solver?.operator),
        },
      },
      { path: "/explore/attestors/1", lists: { attestations: `attester=${attestor?.operator}` } },
      {
        path: "/explore/merchants/1",
        lists: {
          receipts: "merchant_id=1",
          services: "merchant_id=1",
          quotes: "merchant_id=1",
          disputes: "merchant_id=1",
          attestations: about(merchant?.owner),
          trust_signals: "subject_type=0&subject_id=1",
        },
      },
      {
        path: "/explore/services/1",
        lists: { receipts: "service_id=1", trust_signals: "subject_type=1&subject_id=1" },
      },
      {
        path: "/explore/facilitators/1",
        lists: {
          receipts: `facilitator=${facilitator?.facilitator}`,
          attestations: about(facilitator?.facilitator),
          trust_signals: "subject_type=2&subject_id=1",
        },
      },
      {
        path: `/explore/accounts/${solver?.operator}`,
        lists: { fills: `solver=${solver?.operator}`, bids: `solver=${solver?.operator}` },
      },
      { path: `/explore/tokens/${token}`, lists: { fills: `token=${token}`, settlements: `token=${token}` } },
      {
        path: "/explore/agents/1",
        lists: {
          receipts: `agent=${agent?.owner}`,
          intents: `owner=${agent?.owner}`,
          quotes: `agent=${agent?.owner}`,
          settlements: `payer=${agent?.owner}`,
          disputes: `opener=${agent?.owner}`,
          attestations: about(agent?.owner),
          trust_signals: "subject_type=3&subject_id=1",
        },
      },
    ];
  });
  afterAll(() => browser?.close());

  it("shows in every tab the rows of the API in their order, and how many there are", async () => {
    const found: string[] = [];
    for (const { path, lists } of pages)
      for (const [tab, filter] of Object.entries(lists)) {
        const [api, property, id] = tabs[tab as keyof typeof tabs];
        await explorer.page.goto(`${path}?tab=${tab}`);
        expect([path, await explorer.page.locator("#records nav a[aria-current]").first().innerText()]).toEqual([
          path,
          await explorer.page.locator("#records h2").evaluate((heading) => heading.firstChild?.textContent?.trim()),
        ]);
        for (const sort of ["newest", "oldest"]) {
          const response = await read<Record<string, Row[]> & { pagination: { total: number } }>(
            `${api}?${filter}&limit=25&total=true&sort=${sort}`,
          );
          await explorer.page.goto(`${path}?tab=${tab}&sort=${sort}`);
          const keys = response[property]?.map((row) => row[id]);
          expect([path, tab, await rowKeys(explorer.page, "#records")]).toEqual([path, tab, keys]);
          expect(await explorer.page.locator("#records h2 data").getAttribute("value")).toBe(
            String(response.pagination.total),
          );
          if (keys && keys.length > 0) found.push(tab);
        }
      }
    expect(Object.keys(tabs).filter((tab) => !found.includes(tab))).toEqual([]);
  });

  it("filters a tab by a link, and keeps the tab", async () => {
    const { receipts } = await read<{ receipts: Row[] }>("/receipts?merchant_id=1&fulfilled=true");
    await explorer.page.goto("/explore/merchants/1");
    await explorer.page.getByRole("link", { name: "Fulfilled", exact: true }).click();
    await explorer.page.waitForURL("**/explore/merchants/1?fulfilled=true#records");
    expect(await rowKeys(explorer.page, "#records")).toEqual(receipts.map(({ receipt_id }) => receipt_id));
    await explorer.page.goto("/explore/solvers/1?tab=bids&status=rejected");
    const { operator } = await read<Row>("/solvers/1");
    const { bids } = await read<{ bids: Row[] }>(`/bids?solver=${operator}&status=rejected`);
    expect(await rowKeys(explorer.page, "#records")).toEqual(bids.map(({ bid_id }) => bid_id));
  });

  it("leaves out the column with the record of the page", async () => {
    const columns = (path: string) =>
      explorer.page.goto(path).then(() => explorer.page.locator("#records th").allInnerTexts());
    expect(await columns("/explore/merchants/1")).not.toContain("Merchant");
    expect(await columns("/explore/agents/1")).not.toContain("Agent");
    expect(await columns("/explore/agents/1")).toContain("Merchant");
    const ofSolver = await columns("/explore/solvers/1");
    expect([ofSolver.includes("Solver"), ofSolver.includes("Owner")]).toEqual([false, true]);
  });

  it("says what would make rows appear in an empty tab", async () => {
    await explorer.page.goto("/explore/solvers/2?tab=attestations");
    expect(await explorer.page.locator("#records .empty").innerText()).toMatch(/No attestations yet\s+An attestation/);
  });

  it.each(["merchant", "agent"])(
    "explains the score of a %s, and shows the numbers that it is computed from",
    async (kind) => {
      const { record, score } = await read<{
        record: Record<string, { value: string }>;
        score: {
          value: number;
          formula: string;
          inputs: { name: string; value: number; points: number; weight: number }[];
        };
      }>(`/${kind}s/1/reputation`);
      await explorer.page.goto(`/explore/${kind}s/1`);
      await openFolds(explorer.page);
      const shown = await shownFields(explorer.page, "#reputation");
      for (const field of ["volume_usd", "receipts", "counterparties", "disputes"])
        expect([field, shown[field]?.exact]).toEqual([field, record[field]?.value]);
      expect(shown.score?.exact).toBe(String(score.value));
      const rows = await explorer.page.$$eval("#score tbody tr", (found) =>
        found.map((row) => [
          row.getAttribute("data-key"),
          ...[...row.querySelectorAll("data")].map(({ value }) => Number(value)),
        ]),
      );
      expect(rows).toEqual(score.inputs.map(({ name, value, points, weight }) => [name, value, points, weight]));
      expect(await explorer.page.locator("#score").innerText()).toContain(score.formula);
    },
  );

  it.each(["merchant", "agent", "solver", "service", "facilitator"])(
    "shows the verdict about a %s with the outcome of every check",
    async (kind) => {
      const { verdict, reasons } = await read<{
        verdict: string;
        reasons: { code: string; message: string; evidence: string }[];
      }>(`/trust/${kind}/1`);
      await explorer.page.goto(`/explore/${kind}s/1`);
      expect((await explorer.page.locator("#trust .status").innerText()).toLowerCase()).toBe(verdict);
      const checks = await explorer.page.$$eval("#trust [data-check]", (entries) =>
        entries.map((entry) => [entry.getAttribute("data-check"), entry.querySelector("bdi")?.textContent]),
      );
      expect(checks.sort()).toEqual(reasons.map(({ code, message }) => [code, message]).sort());
      // The lists that the figures are computed from, as pages. The record itself is this page.
      const evidence = await explorer.page.$$eval("#trust [data-check] a", (all) =>
        all.map((link) => link.getAttribute("href")),
      );
      const lists = reasons.filter((reason) => reason.evidence.includes("?"));
      expect(evidence.sort()).toEqual(lists.map((reason) => `/explore${reason.evidence}`).sort());
      expect(lists.length).toBeGreaterThan(1);
    },
  );

  it("shows the performance of a solver in the selected time", async () => {
    const { windows } = await read<{ windows: (Row & { window: string })[] }>("/solvers/2/performance");
    for (const { window, ...numbers } of windows) {
      await explorer.page.goto(`/explore/solvers/2?window=${window}`);
      const shown = await shownFields(explorer.page, "#performance");
      for (const field of ["volume_usd", "fills", "win_rate", "avg_surplus_bps", "median_latency_blocks"])
        expect([window, field, shown[field]?.exact ?? null]).toEqual([window, field, numbers[field]]);
    }
  });

  it("shows the numbers of a participant over time, as the API has them", async () => {
    const { operator } = await read<Row>("/solvers/2");
    for (const [path, query, metric] of [
      ["/explore/solvers/2?metric=fills", `metric=fills&interval=day&solver=${operator}`, "fills"],
      ["/explore/solvers/2", `metric=fill_volume&unit=usd&interval=day&solver=${operator}`, "fill_volume"],
      [
        "/explore/merchants/1?range=hour",
        "metric=receipt_volume&unit=usd&interval=hour&merchant_id=1",
        "receipt_volume",
      ],
    ]) {
      const { points, total } = await read<{ points: { value: string }[]; total: string }>(
        `/analytics/timeseries?${query}`,
      );
      await explorer.page.goto(path ?? "");
      const values = await explorer.page.$$eval(`[data-series="${metric}"] tbody data`, (found) =>
        found.map((data) => data.getAttribute("value")),
      );
      expect([path, values]).toEqual([path, points.map(({ value }) => value).filter((value) => value !== "0")]);
      expect(await explorer.page.locator(".sum data").getAttribute("value")).toBe(total);
    }
  });

  it("shows open disputes in the color of what is disputed, and others in theirs", async () => {
    const { disputes } = await read<{ disputes: Row[] }>("/disputes");
    await explorer.page.goto("/explore/disputes");
    const colors = await explorer.page.$$eval("main tbody .status", (all) => all.map(({ className }) => className));
    const colorOf = { OPEN: "disputed", RESOLVED: "resolved", REJECTED: "rejected" } as Record<string, string>;
    expect(colors).toEqual(disputes.map(({ status = "" }) => `status status-${colorOf[status]}`));
    expect(colors).toContain("status status-disputed");
  });

  it("shows a dispute as a thread in the order of time, with who opened and who decided it", async () => {
    for (const { dispute_id, status, opener, receipt_id } of (await read<{ disputes: Row[] }>("/disputes")).disputes) {
      const { agent, fulfillment_hash } = await read<Row>(`/receipts/${receipt_id}`);
      await explorer.page.goto(`/explore/disputes/${dispute_id}`);
      const entries = await explorer.page.$$eval("#thread .thread > li", (found) =>
        found.map((entry) => ({
          name: entry.getAttribute("data-entry"),
          time: entry.querySelector("time")?.dateTime ?? "",
          text: entry.textContent ?? "",
        })),
      );
      expect(entries.map(({ name }) => name).sort()).toEqual([
        ...(status === "OPEN" ? [] : ["decided"]),
        ...(fulfillment_hash === null ? [] : ["delivered"]),
        "opened",
        "paid",
      ]);
      expect(entries[0]?.name).toBe("paid");
      const times = entries.map(({ time }) => Date.parse(time));
      expect(times).toEqual([...times].sort((one, other) => one - other));
      const opened = entries.find(({ name }) => name === "opened");
      expect(opened?.text).toContain(opener === agent ? "the buyer, opened" : "opened the dispute");
      const decided = entries.find(({ name }) => name === "decided");
      if (decided)
        expect([dispute_id, decided.text.toUpperCase()]).toEqual([dispute_id, expect.stringContaining(status ?? "")]);
    }
  });

  it("shows the published evidence of a disputed delivery, and its document", async () => {
    const { fulfillment_hash: hash } = await read<Row>("/receipts/1");
    const document = await read<object>(`/fulfillment-evidence/${hash}`);
    await explorer.page.goto("/explore/disputes/1");
    const entry = explorer.page.locator('[data-entry="delivered"]');
    expect(JSON.parse(await entry.locator("pre").innerText())).toEqual(document);
    expect(await entry.locator("a").first().getAttribute("href")).toBe(
      `/explore/documents/fulfillment-evidence/${hash}`,
    );
  });

  it("titles a payment by what is paid to whom", async () => {
    await explorer.page.goto("/explore/receipts/1");
    expect((await explorer.page.locator("h1").innerText()).replaceAll(/\s+/g, " ")).toContain(
      "1.5 tUSD to Skyline Data #1 for service City Weather #1",
    );
    expect(await explorer.page.locator(".timeline li.reached strong").allInnerTexts()).toEqual(
      expect.arrayContaining([expect.stringContaining("Paid"), expect.stringContaining("Delivered")]),
    );
  });

  it("had no errors, no violations of its policy and no requests to other hosts", async () => {
    expect(await explorer.problems()).toEqual([]);
  });
});
