import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { type LocalAccount, parseUnits, zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { signIntent } from "../../client/src/intents";
import { anyExecution, type SignableIntent } from "../../common/intent";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { people } from "../../stack/local/sample/people";
import { type Stack, startStack } from "../support/stack";
import { hasChromium, openBrowser } from "./browser";
import { isInteractive, openExplorer, rowKeys } from "./explorer-page";
import { problemsOfTexts } from "./explorer-texts";
import { injectWallet } from "./wallet";

type Row = Readonly<Record<string, string>>;

describe.runIf(hasChromium)("acting in the explorer with a wallet", () => {
  let stack: Stack;
  let browser: Browser;
  /** An open intent of alice, who wants test dollars. */
  let id: string;

  beforeAll(async () => {
    stack = await startStack({ sample: true, tokens: true });
    const { TestDollar, IntentBook } = stack.contracts;
    await stack.write(people.alice, "TestDollar", "mint", [people.alice.address, parseUnits("100", 6)]);
    const { timestamp } = await stack.client.getBlock();
    const intent: SignableIntent = {
      owner: people.alice.address,
      intentType: 0,
      constraints: {
        amountInMax: parseUnits("1", 18),
        amountOutMin: parseUnits("950", 6),
        deadline: timestamp + 86_400n,
        slippageBps: 0,
      },
      execution: anyExecution,
      inputToken: zeroAddress,
      outputToken: TestDollar,
      nonce: 77n,
    };
    const signed = await signIntent(people.alice, intent, { intentBook: IntentBook, chainId: LOCAL_CHAIN_ID });
    await stack.write(people.alice, "IntentBook", "submitIntent", signed);
    await stack.indexed();
    const { intents } = await read<{ intents: Row[] }>("/intents?limit=1");
    id = intents[0]?.intent_id ?? "";
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await stack?.stop();
  });

  const intentPage = () => `/explore/intents/${id}`;
  const read = async <Value>(path: string) => (await (await fetch(`${stack.apiUrl}${path}`)).json()) as Value;

  const open = async (
    path: string,
    account: LocalAccount,
    options: Omit<Parameters<typeof injectWallet>[2], "chain"> = {},
  ) => {
    const explorer = await openExplorer(browser, stack.apiUrl);
    const asked = await injectWallet(explorer.page, account, { chain: stack.client, ...options });
    await explorer.page.goto(path);
    await isInteractive(explorer.page);
    return { ...explorer, ...asked };
  };

  /** Opens an action, and types into its fields. */
  const choose = async (page: Page, label: string, texts: Record<string, string> = {}) => {
    const action = page.locator(`[data-action="${label}"]`);
    await action.locator("summary").click();
    for (const [name, text] of Object.entries(texts)) await action.locator(`[name=${name}]`).fill(text);
    return action;
  };
  type Action = Awaited<ReturnType<typeof choose>>;

  const prepare = async (action: Action) => {
    await action.getByRole("button", { name: "Prepare", exact: true }).click();
    await action.locator(".answer").waitFor();
  };

  /** The first transaction as the page shows it, and the account that acts. */
  const shown = async (action: Action) => {
    const field = (name: string) => action.locator(`[data-transaction="0"] [data-field=${name}]`);
    const value = await field("value").locator("data").first().getAttribute("value");
    const chainId = await field("chain").locator("data").getAttribute("value");
    return {
      from: await action.locator(".answer > .note code").last().innerText(),
      to: await field("to").locator("code").innerText(),
      data: await field("data").locator("code").innerText(),
      value: `0x${BigInt(value ?? "").toString(16)}`,
      chainId: `0x${BigInt(chainId ?? "").toString(16)}`,
    };
  };

  const send = (action: Action) => action.getByRole("button", { name: "Send with wallet" }).click();

  it("bids on an open intent with exactly the shown transaction, and shows it once it is indexed", async () => {
    const { page, problems, sent, close } = await open(intentPage(), people.swiftSolver);
    const action = await choose(page, "Bid", { amount_out: "989.5" });
    await action.getByText("You pay in tUSD").waitFor();
    await prepare(action);
    expect(await action.locator(".summary").innerText()).toMatch(/^Bid on intent \d+ of 0x\w{40}: pay 989\.50? tUSD/);
    await action.locator("[data-simulation=succeeds]").waitFor();
    const transaction = await shown(action);
    expect(transaction).toMatchObject({ to: stack.contracts.IntentBook.toLowerCase(), value: "0x0" });
    expect(sent).toEqual([]);
    await send(action);
    await action.locator("[data-sent=indexed]").waitFor();
    expect(sent).toEqual([transaction]);
    const link = action.locator("[data-sent] a");
    const hash = (await link.getAttribute("href"))?.split("/").at(-1) as `0x${string}`;
    const mined = await stack.client.getTransaction({ hash });
    expect([mined.to, mined.input, mined.value]).toEqual([transaction.to, transaction.data, 0n]);
    await expect.poll(() => rowKeys(page, "#bids")).toEqual([`${id}-1`]);
    const { amount_out, solver } = await read<Row>(`/bids/${id}-1`);
    expect([amount_out, solver]).toEqual(["989500000", people.swiftSolver.address.toLowerCase()]);
    await link.click();
    await page.waitForURL(`**/explore/transactions/${hash}`);
    expect(await problems()).toEqual([]);
    await close();
  });

  it("lets the owner select the bid", async () => {
    const { page, problems, sent, close } = await open(intentPage(), people.alice);
    expect(await page.locator("#act summary").allInnerTexts()).toEqual(["Bid", "Select a bid", "Cancel"]);
    const action = await choose(page, "Select a bid");
    expect(await action.locator("option").first().innerText()).toMatch(/^Bid 1: 989\.50? tUSD of 0x/);
    await prepare(action);
    const transaction = await shown(action);
    await send(action);
    await action.locator("[data-sent=indexed]").waitFor();
    expect(sent).toEqual([transaction]);
    expect((await read<Row>(`/bids/${id}-1`)).status).toBe("SELECTED");
    await expect.poll(() => page.locator("[data-action=Fill]").count()).toBe(1);
    expect(await problems()).toEqual([]);
    await close();
  });

  it("opens a dispute with a published reason, and keeps what became of it on the page", async () => {
    const { receipts } = await read<{ receipts: Row[] }>("/receipts");
    const { disputes } = await read<{ disputes: Row[] }>("/disputes");
    const buyers = Object.values(people);
    const found = receipts.flatMap(({ receipt_id, agent }) => {
      const account = buyers.find(({ address }) => address.toLowerCase() === agent);
      return account && !disputes.some((dispute) => dispute.receipt_id === receipt_id) ? [{ receipt_id, account }] : [];
    })[0];
    if (!found) throw new Error("The sample has no receipt without a dispute");
    const { receipt_id, account } = found;
    const { page, problems, sent, close } = await open(`/explore/receipts/${receipt_id}`, account);
    const action = await choose(page, "Dispute", { reason: `It never came: "><img src=x onerror=hacked=1>` });
    await prepare(action);
    const transaction = await shown(action);
    await send(action);
    await action.locator("[data-sent=indexed]").waitFor();
    expect(sent).toEqual([transaction]);
    const { disputes: now } = await read<{ disputes: Row[] }>(`/disputes?receipt_id=${receipt_id}`);
    expect(now).toHaveLength(1);
    await page.locator("#disputes tbody tr").first().waitFor();
    // The page offers no second dispute, but still shows the first.
    expect(await action.locator("[data-sent=indexed]").count()).toBe(1);
    await page.goto(`/explore/disputes/${now[0]?.dispute_id}`);
    await page.getByText(`It never came: "><img src=x onerror=hacked=1>`).waitFor();
    expect(await page.locator("#act summary").allInnerTexts()).toEqual(["Resolve", "Reject"]);
    expect(await problems()).toEqual([]);
    await close();
  });

  it("pays a quote with a transfer of the token, which has no page of its own", async () => {
    const { quotes } = await read<{ quotes: Row[] }>(
      `/quotes?settled=false&agent=${people.alice.address.toLowerCase()}`,
    );
    const quote = quotes.find(({ payment_rail }) => Number(payment_rail) === 0);
    const { page, sent, close } = await open(`/explore/quotes/${quote?.quote_hash}`, people.alice);
    const action = await choose(page, "Pay");
    await prepare(action);
    const transaction = await shown(action);
    await send(action);
    await action.locator("[data-sent=silent]").waitFor();
    expect(sent).toEqual([transaction]);
    await action.getByText("then records the receipt").waitFor();
    await close();
  });

  it("says why a transaction would fail, and sends it only after a confirmation", async () => {
    const { page, sent, close } = await open(intentPage(), people.swiftSolver);
    const action = await choose(page, "Cancel");
    await prepare(action);
    await action.locator("[data-simulation=fails]").waitFor();
    expect(await action.locator("[data-simulation]").innerText()).toMatch(/^It would fail\. .*owner/);
    const button = action.getByRole("button", { name: "Send with wallet" });
    expect(await button.isDisabled()).toBe(true);
    await action.getByLabel("Send it although it would fail").check();
    await button.click();
    await action.locator("[data-sent=reverted]").waitFor();
    expect(sent).toHaveLength(1);
    await close();
  });

  it("shows that the person rejected the request, and what the service finds wrong", async () => {
    const { page, sent, close } = await open(intentPage(), people.swiftSolver, { refuses: true });
    const action = await choose(page, "Bid", { amount_out: "960.1234567" });
    await action.getByRole("button", { name: "Prepare" }).click();
    expect(await action.getByRole("alert").innerText()).toBe(
      "You pay: 960.1234567 has more than the token's 6 decimals.",
    );
    await action.locator("[name=amount_out]").fill("960");
    await action.locator("[name=valid_until]").fill("soon");
    await action.getByRole("button", { name: "Prepare" }).click();
    await action.getByText("valid_until: must be unix seconds, or a duration").waitFor();
    await action.locator("[name=valid_until]").fill("30m");
    await prepare(action);
    await send(action);
    await action.getByText("The request was rejected in the wallet.").waitFor();
    expect(sent).toEqual([]);
    // Another amount needs another preparation.
    await action.locator("[name=amount_out]").fill("961");
    expect(await action.locator(".answer").count()).toBe(0);
    await close();
  });

  it("asks a wallet on another chain to switch, and sends nothing before", async () => {
    const { page, sent, close } = await open(intentPage(), people.swiftSolver, { chainId: 1 });
    const action = await choose(page, "Bid", { amount_out: "960 tUSD" });
    await prepare(action);
    await send(action);
    await action.getByText(`The wallet is on chain 1. This is for chain ${LOCAL_CHAIN_ID}.`).waitFor();
    expect(sent).toEqual([]);
    await action.getByRole("button", { name: `Switch the wallet to chain ${LOCAL_CHAIN_ID}` }).click();
    await action.getByText("The wallet is on chain 1.").waitFor({ state: "detached" });
    await send(action);
    await action.locator("[data-sent=indexed]").waitFor();
    expect(sent).toHaveLength(1);
    await close();
  });

  it("signs exactly the shown message, and prepares the next step with the signature", async () => {
    const { page, signed, close } = await open(intentPage(), people.alice);
    const typedData = {
      domain: { name: "AgentIntentBook", version: "1", chainId: LOCAL_CHAIN_ID },
      types: { EIP712Domain: [{ name: "name", type: "string" }], Note: [{ name: "text", type: "string" }] },
      primaryType: "Note",
      message: { text: "exactly this" },
    };
    const bodies: unknown[] = [];
    await page.route("**/actions/cancelIntent", async (route) => {
      bodies.push(route.request().postDataJSON());
      const common = { simulation: null, warnings: [], transactions: [] };
      const next = { description: "Then.", action: "cancelIntent", input: { intent_id: id } };
      const first = { ...common, summary: "Sign a note.", typed_data: typedData, next };
      const second = { ...common, summary: "Signed.", next: null };
      await route.fulfill({ json: bodies.length === 1 ? first : second });
    });
    const action = await choose(page, "Cancel");
    await prepare(action);
    expect(JSON.parse(await action.locator(".answer pre").innerText())).toEqual(typedData);
    await action.getByRole("button", { name: "Sign with wallet" }).click();
    await action.getByText("Signed.", { exact: true }).waitFor();
    expect(signed).toEqual([typedData.message]);
    const { EIP712Domain: _, ...types } = typedData.types;
    const signature = await people.alice.signTypedData({ ...typedData, types } as never);
    expect(bodies[1]).toEqual({ intent_id: id, signature });
    await close();
  });

  it("shows a malformed transaction to no one", async () => {
    const { page, close } = await open(intentPage(), people.alice);
    await page.route("**/actions/cancelIntent", (route) =>
      route.fulfill({ json: { transactions: [{ to: "vitalik.eth", data: "0x", value: "0", chainId: 1 }] } }),
    );
    const action = await choose(page, "Cancel");
    await action.getByRole("button", { name: "Prepare" }).click();
    await action.getByText("The service answered with a transaction whose to is malformed.").waitFor();
    await close();
  });

  it("fits into every width and is accessible, open and prepared", async () => {
    const { page, problems, close } = await open(intentPage(), people.swiftSolver);
    for (const [label, texts] of [
      ["Bid", { amount_out: "980" }],
      ["Cancel", {}],
    ] as const)
      await prepare(await choose(page, label, texts));
    expect(await problemsOfTexts(page)).toEqual([]);
    await page.evaluate(axe.source);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      const violations = await page.evaluate<{ id: string; nodes: { target: string[] }[] }[]>(
        "axe.run().then(({ violations }) => violations)",
      );
      expect(violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))).toEqual([]);
    }
    expect(await problems()).toEqual([]);
    await close();
  });

  it("says what is missing without a wallet and without JavaScript, and shows the request for programs", async () => {
    const without = await openExplorer(browser, stack.apiUrl);
    await without.page.goto(intentPage());
    await isInteractive(without.page);
    const action = await choose(without.page, "Cancel");
    await action.getByRole("button", { name: "Prepare" }).click();
    await action.getByText("This browser has no wallet.").waitFor();
    expect(await action.locator(".command pre").innerText()).toBe(
      `curl ${stack.apiUrl}/actions/cancelIntent -H 'content-type: application/json' -d '{"from":"0x…","intent_id":"${id}"}'`,
    );
    await without.close();
    const plain = await openExplorer(browser, stack.apiUrl, { javaScriptEnabled: false });
    await plain.page.goto(intentPage());
    const bid = plain.page.locator('[data-action="Bid"]');
    await bid.locator("summary").click();
    await bid.getByText("your browser needs JavaScript and a wallet").waitFor();
    expect(await bid.locator(".command pre").innerText()).toContain(`"amount_out":"1 tUSD"`);
    await plain.close();
  });

  it("offers nothing for records that are over", async () => {
    const { page, close } = await open("/explore/intents/1", people.alice);
    expect(await page.locator("#act").count()).toBe(0);
    const { disputes } = await read<{ disputes: Row[] }>("/disputes");
    const decided = disputes.find(({ status }) => status !== "OPEN");
    const { quotes } = await read<{ quotes: Row[] }>("/quotes?settled=true");
    for (const path of [`disputes/${decided?.dispute_id}`, `quotes/${quotes[0]?.quote_hash}`, "agents/3"]) {
      await page.goto(`/explore/${path}`);
      await isInteractive(page);
      expect([path, await page.locator("#act").count()]).toEqual([path, 0]);
    }
    await close();
  });
});
