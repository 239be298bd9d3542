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

  /** Has the service answer to Cancel with an intent to sign, and to the signature with a transaction. */
  const answerWithIntent = async (page: Page, change: (transaction: object) => object) => {
    const { body } = await prepared("submitIntent", {
      ...{ from: people.alice.address, input_token: zeroAddress, output_token: stack.contracts.TestDollar },
      ...{ amount_in_max: "5", amount_out_min: "7" },
    });
    const asked: unknown[] = [];
    await page.route("**/actions/cancelIntent", async (route) => {
      const input: Record<string, unknown> = route.request().postDataJSON();
      asked.push(input);
      if (input.signature === undefined) return route.fulfill({ json: body });
      const submission = await prepared("submitIntent", input);
      const transactions = submission.body.transactions.map(change);
      return route.fulfill({ json: { ...submission.body, transactions } });
    });
    return { typedData: body.typed_data, input: body.next.input, asked };
  };

  const prepared = async (name: string, input: object) => {
    const headers = { "content-type": "application/json" };
    const request = { method: "POST", headers, body: JSON.stringify(input) };
    return { body: await (await fetch(`${stack.apiUrl}/actions/${name}`, request)).json() };
  };

  it("signs exactly the shown message, and sends its submission", async () => {
    const { page, signed, sent, close } = await open(intentPage(), people.alice);
    const { typedData, input, asked } = await answerWithIntent(page, (transaction) => transaction);
    const action = await choose(page, "Cancel");
    await prepare(action);
    expect(JSON.parse(await action.locator(".answer pre").innerText())).toEqual(typedData);
    await action.getByRole("button", { name: "Sign with wallet" }).click();
    await action.locator("[data-simulation=succeeds]").waitFor();
    expect(signed).toEqual([typedData.message]);
    const { EIP712Domain: _, ...types } = typedData.types;
    const signature = await people.alice.signTypedData({ ...typedData, types });
    expect(asked[1]).toEqual({ ...input, signature });
    const transaction = await shown(action);
    await send(action);
    await action.locator("[data-sent=indexed]").waitFor();
    expect(sent).toEqual([transaction]);
    const { intents } = await read<{ intents: Row[] }>("/intents?limit=1");
    expect(intents).toMatchObject([{ owner: people.alice.address.toLowerCase(), amount_in_max: "5" }]);
    await close();
  });

  it("attack: shows and sends nothing but the submission of the signed intent", async () => {
    const { page, signed, sent, close } = await open(intentPage(), people.alice);
    await answerWithIntent(page, (transaction) => ({ ...transaction, value: "1" }));
    const action = await choose(page, "Cancel");
    await prepare(action);
    await action.getByRole("button", { name: "Sign with wallet" }).click();
    await action.getByText("a transaction whose value differs. Nothing was sent").waitFor();
    expect(await action.locator("[data-transaction]").count()).toBe(0);
    expect([signed.length, sent]).toEqual([1, []]);
    await close();
  });

  it("attack: signs no message that is not of an action", async () => {
    const { page, signed, close } = await open(intentPage(), people.alice);
    const typed_data = {
      domain: { name: "Token", version: "1", chainId: LOCAL_CHAIN_ID },
      types: { EIP712Domain: [{ name: "name", type: "string" }], Permit: [{ name: "spender", type: "address" }] },
      primaryType: "Permit",
      message: { spender: people.alice.address },
    };
    const json = { summary: "", transactions: [], simulation: null, warnings: [], next: null, typed_data };
    await page.route("**/actions/cancelIntent", (route) => route.fulfill({ json }));
    const action = await choose(page, "Cancel");
    await prepare(action);
    await action.getByRole("button", { name: "Sign with wallet" }).click();
    await action.getByText("The message to sign is of type Permit, which no action has.").waitFor();
    expect(signed).toEqual([]);
    await close();
  });

  describe("on a preflight", () => {
    const path = (account: string) =>
      `/explore/preflight?account=${account}&target=${stack.contracts.SolverRegistry}&value=0`;
    const label = () => {
      const target = stack.contracts.SolverRegistry.toLowerCase();
      return `Allow calls of ${target.slice(0, 6)}…${target.slice(-4)}`;
    };

    it("changes the policy of the wallet's account with exactly the shown transaction", async () => {
      const { page, problems, sent, close } = await open(path(people.swiftSolver.address), people.swiftSolver);
      const fix = await page.locator(".fix").getAttribute("data-fix");
      const action = await choose(page, label());
      await prepare(action);
      const transaction = await shown(action);
      expect(transaction).toMatchObject({ to: stack.contracts.PolicyModule.toLowerCase(), data: fix, value: "0x0" });
      await action.locator("[data-simulation=succeeds]").waitFor();
      await page.getByLabel("Value in wei").fill("7");
      await send(action);
      await action.locator("[data-sent=indexed]").waitFor();
      expect(sent).toEqual([transaction]);
      // The request passes now, and the page still shows what was sent.
      await page.locator("#result .verdict").getByText("Allowed").waitFor();
      expect(await action.locator("[data-sent=indexed]").count()).toBe(1);
      expect(await page.getByLabel("Value in wei").inputValue()).toBe("7");
      expect(await problems()).toEqual([]);
      await close();
    });

    it("changes the policy of a policy account as its signer, and as nobody else", async () => {
      const { PolicyAccount } = stack.contracts;
      const stranger = await open(path(PolicyAccount), people.swiftSolver);
      const refused = await choose(stranger.page, label());
      await prepare(refused);
      await refused.locator("[data-simulation=fails]").waitFor();
      expect(await refused.getByRole("button", { name: "Send with wallet" }).isDisabled()).toBe(true);
      await stranger.close();

      const { page, sent, close } = await open(path(PolicyAccount), people.alice);
      const action = await choose(page, label());
      await prepare(action);
      const transaction = await shown(action);
      expect(transaction).toMatchObject({ from: people.alice.address, to: PolicyAccount.toLowerCase() });
      await send(action);
      await action.locator("[data-sent=indexed]").waitFor();
      expect(sent).toEqual([transaction]);
      await page.locator("#result .verdict").getByText("Allowed").waitFor();
      await close();
    });

    it("warns that a wallet can't act for another account", async () => {
      const { page, sent, close } = await open(path(people.bob.address), people.alice);
      const action = await choose(page, label());
      await prepare(action);
      await action.getByText("does not seem to be a policy account").waitFor();
      expect(await action.getByRole("button", { name: "Send with wallet" }).isDisabled()).toBe(true);
      expect(sent).toEqual([]);
      await close();
    });
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
