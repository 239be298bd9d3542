import type { Browser } from "playwright-core";
import { type Address, encodeAbiParameters, parseEther, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentHash } from "../../client/src/documents";
import { intentHash } from "../../src/lib/intent-hash";
import { hashOf, people } from "../../stack/local/sample/people";
import { owner, submitManyBids } from "../support/hostile/chain";
import { intentsOfOwner, send, TARGET } from "../support/intents-of-owner";
import { type Stack, startStack } from "../support/stack";
import { type Behavior, contractCode } from "../support/tokens/contract-code";
import { hasChromium, openBrowser } from "./browser";
import { isInteractive, openExplorer, openFolds } from "./explorer-page";
import { problemsOfTexts } from "./explorer-texts";

const { alice, bob } = people;

/** Texts that run a script if a page includes them as they are: as HTML, in an attribute, in the page's data, or as a link. */
const markup = `"'><img src=x onerror="window.hacked=1"><svg onload=window.hacked=1></svg>`;
const script = "</script><script>window.hacked=1</script><!--<script>";
const link = "javascript:window.hacked=1";

/** Metadata in which every text is hostile. */
const metadata = JSON.stringify({ name: markup, description: script, tags: [link, markup], capabilities: [script] });
const metadataUri = `data:application/json,${encodeURIComponent(metadata)}`;

const returnedText = (text: string): Behavior => ({ returns: encodeAbiParameters([{ type: "string" }], [text]) });

/** A token whose symbol is as long as it may be. */
const token: Address = `0x${"70".repeat(20)}`;
const tokenSymbol = `"><img src=x onerror=hacked=1>`;
const tokenCode = contractCode({
  "symbol()": returnedText(tokenSymbol),
  "name()": returnedText(script),
  "decimals()": { returns: toHex(6, { size: 32 }) },
});

/** Text that reverses and hides parts of itself. */
const reversed = "safe\u202eevil\u200b\u{e0041}";

describe.runIf(hasChromium)("the explorer with hostile content in every field", () => {
  let stack: Stack;
  let browser: Browser;

  const publish = async (path: string, body: object) => {
    const response = await fetch(`${stack.apiUrl}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
  };
  const catalog = JSON.stringify({ name: markup, description: script, url: link, note: reversed });

  const quoteRequest = JSON.stringify({ request_id: markup, note: script });
  const evidence = JSON.stringify({ type: "delivery", receipt_id: "1", note: markup, tracking: link });

  /** Waits until the metadata and the token are read. */
  const resolved = () =>
    expect
      .poll(
        async () => {
          const answers = ["search?q=onerror", `tokens/${token}`].map(async (path) =>
            (await fetch(`${stack.apiUrl}/${path}`)).json(),
          );
          const [{ results }, { source }] = (await Promise.all(answers)) as [{ results: [] }, { source: string }];
          return [results.length, source];
        },
        { timeout: 60_000 },
      )
      // The last one is found by the name of a service on chain.
      .toEqual([7, "contract"]);

  /** All pages with hostile content. */
  const hostilePaths = async () => {
    await resolved();
    const { transactions } = await stack.client.getBlock();
    const schema = hashOf("hostile");
    const records = [1, 2, 3, 4].flatMap((id) =>
      ["agents", "solvers", "attestors", "merchants", "services", "facilitators"].map((name) => `${name}/${id}`),
    );
    return [
      "/",
      ...records.map((record) => `/explore/${record}`),
      ...["solvers", "attestors", "merchants", "services", "facilitators", "schemas"].map((name) => `/explore/${name}`),
      `/explore/accounts/${alice.address}`,
      `/explore/tokens/${token}`,
      "/explore/search?q=onerror",
      "/explore/search?type=merchant",
      `/explore/transactions/${transactions[0]}`,
      `/explore/schemas/${schema}`,
      `/explore/documents/catalogs/${documentHash(catalog)}`,
      `/explore/documents/quote-requests/${documentHash(quoteRequest)}`,
      `/explore/documents/fulfillment-evidence/${documentHash(evidence)}`,
      ...[markup, script, link].map((text) => `/explore/search?q=${encodeURIComponent(text)}`),
      ...[markup, script, link].map((text) => `/explore/preflight?value=1&account=${encodeURIComponent(text)}`),
    ];
  };

  beforeAll(async () => {
    stack = await startStack({ bulk: true });
    const { write } = stack;
    await stack.client.setCode({ address: token, bytecode: tokenCode });
    for (const [index, text] of [markup, script, link, metadataUri].entries()) {
      const hash = text === metadataUri ? documentHash(metadata) : hashOf(text);
      const owner = [alice, bob, people.attestor, people.swiftSolver][index] ?? alice;
      await write(owner, "AgentRegistry", "registerAgent", [text, "0x01", hash]);
      await write(owner, "SolverRegistry", "registerSolver", [text, hash], parseEther("2"));
      await write(owner, "AttestorRegistry", "registerAttestor", [text, hash]);
      await write(owner, "CommerceRegistry", "registerMerchant", [owner.address, text, hash]);
      await write(owner, "CommerceRegistry", "registerService", [BigInt(index + 1), text, text, hash, hash]);
      await write(owner, "CommerceRegistry", "registerFacilitator", [owner.address, text, hash]);
    }
    await write(alice, "PolicyModule", "setSpendLimit", [token, 1_234_567n]);
    await write(alice, "CommerceRegistry", "registerService", [1n, reversed, reversed, hashOf("x"), hashOf("x")]);
    await stack.indexed();
    await publish("/attestations/schemas", {
      name: "hostile",
      description: script,
      recommended_subject: link,
      json_schema: { type: "object", title: markup, description: script },
    });
    await publish("/catalogs", { catalog_json: catalog, service_id: markup });
    await publish("/quote-requests", { quote_request_json: quoteRequest, merchant_id: "1" });
    await publish("/fulfillment-evidence", { fulfillment_evidence_json: evidence });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  it("shows them as text, on every page that has them", async () => {
    const { page, problems, close } = await openExplorer(browser, stack.apiUrl);
    for (const path of await hostilePaths()) {
      const response = await page.goto(path);
      expect([path, response?.status()]).toEqual([path, 200]);
      await isInteractive(page);
      expect([path, await page.evaluate("window.hacked")]).toEqual([path, undefined]);
      const dangerous = await page.evaluate<string[]>(
        `[...document.querySelectorAll("[onerror], [onload], main script, main img, a[href^='javascript:' i]")].map((element) => element.outerHTML)`,
      );
      expect([path, dangerous]).toEqual([path, []]);
    }
    for (const [id, text] of [
      [1, markup],
      [2, script],
      [3, link],
    ] as const) {
      await page.goto(`/explore/merchants/${id}`);
      await openFolds(page);
      expect(await page.locator("[data-field=metadata_uri] dd").innerText()).toBe(text);
    }
    expect(await problems()).toEqual([]);
    await close();
  });

  it("neither lets texts overlap, nor cuts or breaks short words, at any width", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    for (const path of await hostilePaths()) {
      await page.goto(path);
      await isInteractive(page);
      expect([path, await problemsOfTexts(page)]).toEqual([path, []]);
    }
    await close();
  });

  it("shows hostile names, descriptions and tags of metadata, and symbols and names of tokens, as text", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    await resolved();
    for (const record of ["agents/4", "solvers/4", "attestors/4", "merchants/4", "services/4", "facilitators/4"]) {
      await page.goto(`/explore/${record}`);
      expect([record, await page.locator("h1 bdi").innerText()]).toEqual([record, markup]);
      await openFolds(page);
      expect(await page.locator("#metadata [data-field=description] dd").innerText()).toBe(script);
      expect(await page.locator("#metadata [data-field=tags] li").allInnerTexts()).toEqual([link, markup.slice(0, 64)]);
    }
    await page.goto("/explore/search?q=onerror");
    expect(await page.locator("#results tbody a bdi").allInnerTexts()).toEqual(Array(7).fill(markup));
    await page.goto(`/explore/tokens/${token}`);
    expect(await page.locator("h1 bdi").innerText()).toBe(tokenSymbol);
    await openFolds(page);
    expect(await page.locator("[data-field=name] bdi").innerText()).toBe(script);
    await page.goto(`/explore/accounts/${alice.address}`);
    expect(await page.locator("[data-policy=SPEND_LIMIT] .amount").first().innerText()).toMatch(/^1\.23456 ">?<img/);
    await close();
  });

  it("makes characters visible that reverse or hide text", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    const document = `/explore/documents/catalogs/${documentHash(catalog)}`;
    for (const path of ["/explore/services/5", "/explore/services", "/explore/merchants/1?tab=services", document]) {
      await page.goto(path);
      await isInteractive(page);
      await openFolds(page);
      await page.getByText("safe\ufffdevil\ufffd").first().waitFor();
      expect([path, /[\u202e\u200b]/.test(await page.content())]).toEqual([path, false]);
    }
    await close();
  });

  it("shortens texts that are too long for a page", async () => {
    const text = "long ".repeat(20_000);
    await stack.write(alice, "CommerceRegistry", "registerMerchant", [alice.address, text, hashOf("long")]);
    await stack.indexed();
    for (const path of ["/explore/merchants", "/explore/merchants/5", `/explore/accounts/${alice.address}`]) {
      const response = await fetch(`${stack.apiUrl}${path}`, { headers: { accept: "text/html" } });
      const page = await response.text();
      expect([path, page.length < 100_000]).toEqual([path, true]);
      expect(page).toContain("long long");
    }
  });

  it("shows a document of thousands of levels without indentation, which would be gigabytes", async () => {
    const levels = `${"[".repeat(2_500)}${"]".repeat(2_500)}`;
    const text = `[${Array(16).fill(levels).join()}]`;
    await publish("/catalogs", { catalog_json: text });
    const response = await fetch(`${stack.apiUrl}/explore/documents/catalogs/${documentHash(text)}`);
    expect(response.status).toBe(200);
    expect((await response.text()).length).toBeLessThan(500_000);
  });

  it("says who signed the metadata of an intent", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    const { timestamp } = await stack.client.getBlock();
    const { newIntent, submit, signed } = intentsOfOwner(stack, timestamp + 3_600n);
    const intent = newIntent(false);
    const id = await submit(intent);
    const put = (headers: Record<string, string>) =>
      send(stack, "PUT", `/intents/${id}/metadata`, { execution_target: TARGET }, headers);
    const signer = async () => {
      await openFolds(page);
      return page.locator("[data-field=signed] dd").innerText();
    };
    expect((await put({})).status).toBe(200);
    await page.goto(`/explore/intents/${id}`);
    expect(await signer()).toBe("no one: any client may have published it");
    expect((await put(await signed(intentHash(intent), TARGET))).status).toBe(200);
    await page.goto(`/explore/intents/${id}`);
    expect(await signer()).toMatch(/^the owner, /);
    const owners = page.locator("[data-field=signed] dd a");
    expect(await owners.getAttribute("href")).toBe(`/explore/accounts/${alice.address.toLowerCase()}`);
    await close();
  });

  it("says that an intent has more bids than the page, and which one is selected", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    const { intents } = (await (await fetch(`${stack.apiUrl}/intents?limit=1`)).json()) as {
      intents: { intent_id: string }[];
    };
    const id = BigInt(intents[0]?.intent_id ?? 0) + 1n;
    await submitManyBids(stack, id, 101);
    // The lowest amount, which is not on the page.
    await stack.write(owner, "IntentBook", "selectBid", [id, 100n]);
    await stack.indexed();
    await page.goto(`/explore/intents/${id}`);
    const [, bids = "", selected = ""] = await page.locator(".timeline li > span").allInnerTexts();
    expect(bids).toBe("more than 100 received");
    expect(await page.locator("#bids tbody tr").count()).toBe(100);
    // All bids are those of the contract that sent them in one transaction.
    expect(selected).toContain(stack.contracts.Multicall.slice(0, 6).toLowerCase());
    await close();
  });

  it("shows an error page with a hostile path, as text", async () => {
    const { page, close } = await openExplorer(browser, stack.apiUrl);
    for (const path of [`/explore/${encodeURIComponent(markup)}`, `/explore/agents/${encodeURIComponent(markup)}`]) {
      const response = await page.goto(path);
      expect([400, 404]).toContain(response?.status());
      expect(await page.evaluate("window.hacked")).toBeUndefined();
    }
    await close();
  });

  it("rejects cursors, ids and hashes that are not valid with a page that says why", async () => {
    for (const [path, message] of [
      ["/explore/agents/-1", "agentId: must be"],
      ["/explore/intents/1e9", "id: must be"],
      ["/explore/accounts/0x12", "address: must be an address"],
      ["/explore/quotes/0x12", "quoteHash: must be"],
      ["/explore/solvers?cursor=abc", "cursor:"],
      [`/explore/agents/${"9".repeat(100)}`, "agentId: must be"],
      ["/explore/agents/%00", "agentId: must be"],
    ] as const) {
      const response = await fetch(`${stack.apiUrl}${path}`, { headers: { accept: "text/html" } });
      expect([path, response.status]).toEqual([path, 400]);
      expect(response.headers.get("content-type")).toBe("text/html; charset=UTF-8");
      expect(await response.text()).toContain(message);
    }
  });
});
