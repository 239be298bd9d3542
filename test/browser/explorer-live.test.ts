import pg from "pg";
import type { Browser } from "playwright-core";
import { parseUnits } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoPayer, hashOf, people } from "../../stack/local/sample/people";
import { type Stack, startStack } from "../support/stack";
import { hasChromium, openBrowser } from "./browser";
import { isInteractive, openExplorer, openFolds, rolesOf, rowKeys } from "./explorer-page";
import { injectWallet } from "./wallet";

const PRICE = 10_000n;
const OPEN_INTENT = 5n;

describe.runIf(hasChromium)("the explorer while the chain moves on", () => {
  let stack: Stack;
  let browser: Browser;

  beforeAll(async () => {
    stack = await startStack({ sample: true, tokens: true });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  const apiBids = async () => {
    const response = await fetch(`${stack.apiUrl}/intents/${OPEN_INTENT}/bids`);
    const { bids } = (await response.json()) as { bids: { bid_id: string }[] };
    return bids.map(({ bid_id }) => bid_id);
  };

  /** Replaces the newest blocks by empty ones, and mines two more, which the index then follows. */
  const reorg = async (depth: number) => {
    await stack.client.request({ method: "anvil_reorg", params: [depth, []] } as never);
    await stack.client.mine({ blocks: 2 });
  };

  it("shows a new bid in its place, and removes it when a reorg does", async () => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl);
    const overview = await openExplorer(browser, stack.apiUrl);
    await overview.page.goto("/");
    await page.goto(`/explore/intents/${OPEN_INTENT}`);
    await isInteractive(page);
    const before = await rowKeys(page, "#bids");
    expect(before).toEqual(await apiBids());
    await overview.page.locator(".event-text", { hasText: "Intent #6 submitted by" }).waitFor();

    const { timestamp } = await stack.client.getBlock();
    const best = parseUnits("980", 6);
    const bid = [OPEN_INTENT, parseUnits("990", 6), best, 1n, timestamp + 3_600n, hashOf("route")] as const;
    await stack.write(people.swiftSolver, "IntentBook", "submitBid", bid);
    await expect.poll(() => rowKeys(page, "#bids")).toEqual(["5-4", ...before]);
    expect(await apiBids()).toEqual(["5-4", ...before]);
    const entry = overview.page.locator(".event", { hasText: "Bid #4 on Intent #5" });
    await entry.getByText("Pending").waitFor();

    await reorg(1);
    await expect.poll(() => rowKeys(page, "#bids")).toEqual(before);
    await entry.getByText("Reverted").waitFor();
    expect(await entry.getAttribute("class")).toContain("reverted");
    expect([...(await problems()), ...(await overview.problems())]).toEqual([]);
    await close();
    await overview.close();
  });

  it.each([
    ["activity", "Not available now.", "#trend .chart", 1],
    ["participant_hour", "Not available now.", "#top-merchants .bars", 1],
    ["total", "Not available now.", "[data-field=open_disputes]", 1],
  ] as const)("shows the overview without the parts that need the table %s", async (name, message, part, parts) => {
    const client = new pg.Client({ connectionString: stack.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
       WHERE table_name = $1 AND table_type = 'BASE TABLE'`,
      [name],
    );
    const [table] = rows;
    if (!table) throw new Error(`The index has no table ${name}`);
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    await client.query(`ALTER TABLE ${table.name} RENAME TO ${name}_away`);
    try {
      const response = await page.goto("/");
      expect(response?.status()).toBe(200);
      await openFolds(page);
      await page.getByText(message).first().waitFor();
      expect(await page.locator(part).count()).toBe(0);
      expect(await page.locator("#intents li").count()).toBeGreaterThan(0);
    } finally {
      await client.query(`ALTER TABLE ${table.name}_away RENAME TO ${name}`);
      await client.end();
    }
    await expect.poll(() => page.locator(part).count()).toBe(parts);
    await close();
  });

  it("shows the newest block in the header", async () => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl);
    await page.goto("/explore/preflight");
    await isInteractive(page);
    await stack.client.mine({ blocks: 1 });
    const newest = String(await stack.client.getBlockNumber());
    await page.locator(`.network [data-block="${newest}"]`).waitFor();
    expect(await page.locator(".network b").innerText()).toBe(newest);
    expect(await problems()).toEqual([]);
    await close();
  });

  it("holds no connection in a hidden tab, and shows what it has missed when it is visible again", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    const isStream = (request: { url: () => string }) => request.url().includes("/events?");
    const opened = page.waitForRequest(isStream);
    await page.goto(`/explore/accounts/${people.bob.address}`);
    await isInteractive(page);
    const setVisibility = (state: string) =>
      page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
        document.dispatchEvent(new Event("visibilitychange"));`);
    await opened;
    const ended = page.waitForEvent("requestfailed", isStream);
    await setVisibility("hidden");
    await ended;
    const before = await rolesOf(page);
    await stack.write(people.bob, "AgentRegistry", "registerAgent", ["ipfs://missed", "0x01", hashOf("missed")]);
    await stack.indexed();
    expect(await rolesOf(page)).toEqual(before);
    await setVisibility("visible");
    await expect.poll(() => rolesOf(page)).toEqual(expect.arrayContaining([...before, "agent-5"]));
    await page.locator(".event", { hasText: "ipfs://missed" }).waitFor();
    await close();
  });

  it("says so when a reorg removes the record itself", async () => {
    await stack.write(people.alice, "AgentRegistry", "registerAgent", ["ipfs://lost", "0x01", hashOf("lost")]);
    await stack.indexed();
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    await page.goto("/explore/agents/6");
    await isInteractive(page);
    await openFolds(page);
    await page.getByText("ipfs://lost", { exact: true }).waitFor();
    await reorg(1);
    await page.getByText("a reorg removed it").waitFor();
    await close();
  });

  it("shows the symbols of a portfolio's tokens as text, whatever they contain", async () => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl);
    await injectWallet(page, demoPayer);
    const symbol = '"><img src=x onerror="window.hacked=1">\u202elive';
    // A provider may return any symbol.
    await page.route("**/portfolio?*", async (route) => {
      const response = await route.fetch();
      if (response.status() !== 200) return route.fulfill({ response });
      const snapshot = (await response.json()) as { tokens: { symbol: string }[] };
      const tokens = snapshot.tokens.map((token) => ({ ...token, symbol }));
      return route.fulfill({ response, json: { ...snapshot, tokens } });
    });
    await page.goto("/explore/portfolio");
    await isInteractive(page);
    await page.getByLabel("Wallet address").fill(demoPayer.address);
    await page.getByRole("button", { name: "Pay $0.01 with a wallet" }).click();
    await page.getByText("Paid.").waitFor();
    expect(await page.locator("#snapshot tbody td").first().innerText()).toBe(symbol.replace("\u202e", "\ufffd"));
    expect(await page.evaluate("window.hacked")).toBeUndefined();
    expect(await page.locator("#snapshot img").count()).toBe(0);
    expect((await problems()).filter((problem) => !problem.includes("402"))).toEqual([]);
    await close();
  });

  it("shows the terms of an unpaid portfolio on the reference page, and that they are the expected response", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    await page.goto("/docs#operation-portfolio.get");
    await isInteractive(page);
    const section = page.locator("[id='operation-portfolio.get']");
    await section.getByText("Without one, the expected response is 402 with the payment terms.").waitFor();
    await section.getByRole("button", { name: "Try it" }).click();
    await section.locator("output.good", { hasText: /^402 .* bytes/ }).waitFor();
    const terms = JSON.parse(await section.locator(".response").inputValue());
    expect(terms).toMatchObject({ x402Version: 2, accepts: [{ network: "eip155:31337", amount: String(PRICE) }] });
    await section.getByRole("link", { name: "portfolio page" }).click();
    await page.waitForURL("**/explore/portfolio");
    await close();
  });

  it("sells a portfolio to an injected wallet, for the price that it shows", async () => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl);
    const { signed } = await injectWallet(page, demoPayer);
    const balance = () => stack.read("TestDollar", "balanceOf", [demoPayer.address]);
    const before = await balance();
    await page.goto("/explore/portfolio");
    await isInteractive(page);
    await page.locator("[data-field=amount]", { hasText: "0.01 tUSD (10000)" }).waitFor();
    await page.getByLabel("Wallet address").fill(demoPayer.address);
    const response = page.waitForResponse((answer) => answer.url().includes("/portfolio?") && answer.status() === 200);
    await page.getByRole("button", { name: "Pay $0.01 with a wallet" }).click();
    const snapshot = (await (await response).json()) as {
      summary: { totalValueUsd: string };
      tokens: { symbol: string; balance: string; valueUsd: string | null }[];
    };
    await page.getByText("Paid.").waitFor();
    expect(signed).toHaveLength(1);
    expect(before - (await balance())).toBe(PRICE);
    expect(await page.locator("[data-field=totalValueUsd] dd").innerText()).toBe(`$${snapshot.summary.totalValueUsd}`);
    const rows = await page.$$eval("#snapshot tbody tr", (all) =>
      all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText)),
    );
    expect(rows.map(([symbol, , amount, , value]) => [symbol, amount, value])).toEqual(
      snapshot.tokens.map(({ symbol, balance: amount, valueUsd }) => [
        symbol,
        amount,
        valueUsd === null ? "no price" : `$${valueUsd}`,
      ]),
    );
    const priced = snapshot.tokens.filter(({ valueUsd }) => Number(valueUsd) > 0);
    expect(await page.locator(".donut circle").count()).toBe(priced.length);
    const transaction = await page.locator("[data-field=transaction] code").innerText();
    const receipt = await stack.client.getTransactionReceipt({ hash: transaction as `0x${string}` });
    expect(receipt.status).toBe("success");
    expect((await problems()).filter((problem) => !problem.includes("402"))).toEqual([]);
    await close();
  });

  it("reports a payment that the wallet refuses, and a browser without a wallet", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    await page.goto("/explore/portfolio");
    await isInteractive(page);
    await page.getByLabel("Wallet address").fill(demoPayer.address);
    await page.getByRole("button", { name: "Pay" }).click();
    await page.getByText("This browser has no wallet.").waitFor();
    await injectWallet(page, demoPayer, { refuses: true });
    await page.reload();
    await isInteractive(page);
    await page.getByLabel("Wallet address").fill(demoPayer.address);
    const before = await stack.read("TestDollar", "balanceOf", [demoPayer.address]);
    await page.getByRole("button", { name: "Pay" }).click();
    await page.getByText("User rejected the request").waitFor();
    expect(await stack.read("TestDollar", "balanceOf", [demoPayer.address])).toBe(before);
    await close();
  });
});
