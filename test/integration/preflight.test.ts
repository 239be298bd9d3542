import { encodeFunctionData, erc20Abi, type Hex, maxUint256, numberToHex, stringify } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor, mined } from "../../stack/chain";
import { seed } from "../support/seed";
import type { World } from "./actions/world";
import { policyKinds, runLegalActions } from "./legal-actions";
import {
  allowTokens,
  anyPayment,
  anyTime,
  anyTransaction,
  type PaymentCase,
  type TransactionCase,
} from "./preflight/cases";
import { paymentCall, transactionCall, verdicts } from "./preflight/contract";
import { parseAnswer, sendRaw } from "./raw-http";
import { type Stack, startStack } from "./stack";

const rounds = Number(process.env.PREFLIGHT_ROUNDS ?? 20);
const TRANSACTIONS_PER_ROUND = 250;
const PAYMENTS_PER_ROUND = 50;
const ACTIONS_PER_ROUND = 30;
const UPDATES_TO_TRY = 200;
const AT_ONCE = 16;

type Answer = {
  allowed: boolean;
  reasons: string[];
  spend_checks: { allowed: boolean }[];
  required_policy_updates: { policy_type: string; call: { to: Hex; data: Hex } }[];
};

type Asked<One> = { one: One; answer: Answer };
type Case = Asked<TransactionCase | PaymentCase>;

/** The reason for each of the contract's errors. An arithmetic panic is a spend over the limit too. */
const sentences: Record<string, RegExp> = {
  AccountFrozenError: /^Account 0x[0-9a-f]{40} is frozen$/,
  TargetNotAllowed: /^Target 0x[0-9a-f]{40} is not on the account's allowlist$/,
  FunctionNotAllowed: /^Function 0x[0-9a-f]{8} of 0x[0-9a-f]{40} is not on the account's function allowlist/,
  DailySpendLimitExceeded:
    /^\d+ of .* is more than the \d+ that remain today: \d+ of the daily limit of \d+ are spent$/,
  PaymentNotAllowed: /^No payment to .* is allowed$/,
  PaymentAmountExceeded: /is more than the \d+ that (one payment|remain today)/,
  Panic: /is more than the \d+ that remain today/,
};

async function inChunks<Item, Result>(
  items: readonly Item[],
  size: number,
  act: (chunk: readonly Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += size)
    results.push(...(await act(items.slice(start, start + size))));
  return results;
}

describe(`preflight against the contract (seed ${seed}, ${rounds} rounds)`, () => {
  let stack: Stack;
  let world: World;
  const disagreements: string[] = [];
  const outcomes = new Map<string, number>();
  let checked: Case[] = [];

  async function ask(body: unknown): Promise<Answer> {
    const text = stringify(body);
    const response = await fetch(`${stack.apiUrl}/preflight`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()} for ${text}`);
    return (await response.json()) as Answer;
  }

  /** Compares the service with the contract on cases of one kind. */
  async function compare<One extends TransactionCase | PaymentCase>(
    cases: readonly One[],
    call: (one: One) => { from: Hex; data: Hex },
  ): Promise<Asked<One>[]> {
    const onChain = await inChunks(cases, 50, (chunk) => verdicts(stack, chunk.map(call)));
    const answers = await inChunks(cases, AT_ONCE, (chunk) => Promise.all(chunk.map(ask)));
    return cases.map((one, place) => {
      const [answer, error] = [answers[place] as Answer, onChain[place] ?? null];
      outcomes.set(error ?? "allowed", (outcomes.get(error ?? "allowed") ?? 0) + 1);
      const agrees =
        error === null ? answer.allowed : !answer.allowed && sentences[error]?.test(answer.reasons[0] ?? "");
      if (!agrees)
        disagreements.push(
          `${stringify(one)}: the contract ${error ?? "allows it"}, the service ${JSON.stringify(answer)}`,
        );
      return { one, answer };
    });
  }

  beforeAll(
    async () => {
      stack = await startStack();
      world = await runLegalActions(stack, { seed, count: 60, among: policyKinds });
      await allowTokens(world, stack.client);
      for (let round = 0; round < rounds; round++) {
        world = await runLegalActions(stack, { after: world, count: ACTIONS_PER_ROUND, among: policyKinds });
        world.now = anyTime(world);
        await stack.client.setNextBlockTimestamp({ timestamp: world.now });
        await stack.client.mine({ blocks: 1 });
        await stack.indexed();
        const transactions = Array.from({ length: TRANSACTIONS_PER_ROUND }, () => anyTransaction(world));
        const payments = Array.from({ length: PAYMENTS_PER_ROUND }, () => anyPayment(world));
        checked = [...(await compare(transactions, transactionCall)), ...(await compare(payments, paymentCall))];
      }
    },
    120_000 + rounds * 20_000,
  );
  afterAll(() => stack?.stop());

  it(`agrees on ${rounds * TRANSACTIONS_PER_ROUND} transactions and ${rounds * PAYMENTS_PER_ROUND} payments`, () => {
    expect(disagreements).toEqual([]);
  });

  it("agrees if the contract's arithmetic reverts: a limit below the current spend, a sum beyond 2^256", async () => {
    const account = actor(9);
    const [lowered, full] = [stack.contracts.TestDollar, stack.contracts.Multicall];
    const policy = "PolicyModule";
    for (const token of [lowered, full]) await stack.write(account, policy, "setTargetAllowed", [token, true]);
    await stack.write(account, policy, "setSpendLimit", [lowered, 100n]);
    await stack.write(account, policy, "recordSpend", [lowered, 60n]);
    await stack.write(account, policy, "setSpendLimit", [lowered, 10n]);
    await stack.write(account, policy, "setSpendLimit", [full, maxUint256]);
    await stack.write(account, policy, "recordSpend", [full, maxUint256 - 5n]);
    await stack.indexed();
    const transfer = (target: Hex, amount: bigint): TransactionCase => ({
      account: account.address,
      target,
      value: 0n,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [account.address, amount] }),
    });
    const cases = [transfer(lowered, 1n), transfer(full, 6n), transfer(full, maxUint256), transfer(full, 5n)];
    await compare(cases, transactionCall);
    expect(disagreements).toEqual([]);
    expect(outcomes.get("Panic")).toBeGreaterThanOrEqual(3);
  });

  it("has covered every reason for denial, and approval", () => {
    for (const outcome of ["allowed", ...Object.keys(sentences)])
      expect(outcomes.get(outcome) ?? 0, outcome).toBeGreaterThan(0);
  });

  describe("an invalid body", () => {
    const account = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
    const good = { account, target: account };
    const post = async (body: string | undefined, type = "application/json") => {
      const headers = { "content-type": type };
      const response = await fetch(`${stack.apiUrl}/preflight`, { method: "POST", headers, body });
      return [response.status, await response.json()];
    };
    const refused = (message: RegExp) => [400, { error: expect.stringMatching(message) }];

    it.each([
      ["none", undefined, /^body: is required/],
      ["null", "null", /^body: must be a JSON object$/],
      ["an array", "[]", /^body: must be a JSON object$/],
      ["a string", '"0x"', /^body: must be a JSON object$/],
      ["truncated", '{"account":', /^body: is not valid JSON/],
    ])("that is %s returns 400", async (_, body, message) => {
      expect(await post(body)).toEqual(refused(message));
    });

    it.each<[string, unknown]>([
      ["account", undefined],
      ["account", null],
      ["account", "0x1"],
      ["account", 7],
      ["account", [account]],
      ["target", undefined],
      ["target", null],
      ["target", `${account}00`],
      ["value", "abc"],
      ["value", "-1"],
      ["value", -1],
      ["value", 1.5],
      ["value", "1.5"],
      ["value", "0x10"],
      ["value", "1".repeat(200)],
      ["value", String(2n ** 256n)],
      ["value", ""],
      ["value", null],
      ["value", {}],
      ["data", "0x1"],
      ["data", "0xzz"],
      ["data", "a9059cbb"],
      ["data", 5],
      ["data", null],
      ["payment", 5],
      ["payment.merchant", undefined],
      ["payment.token", "0x"],
      ["payment.facilitator", null],
      ["payment.amount", "-5"],
    ])("with %s as %j returns 400 and names it", async (name, value) => {
      const [field = "", member] = name.split(".");
      const payment = { merchant: account, token: account, facilitator: account, amount: "1" };
      const body = { ...good, [field]: member ? { ...payment, [member]: value } : value };
      const sent = name === "target" && value === undefined ? { account } : body;
      expect(await post(JSON.stringify(sent))).toEqual(refused(new RegExp(`^${name.replace(".", "\\.")}: `)));
    });

    it("without a content length is handled like any other", async () => {
      const sendChunks = async (...chunks: string[]) => {
        const head =
          "POST /preflight HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\n";
        const length = chunks.length > 0 ? "transfer-encoding: chunked\r\n\r\n" : "\r\n";
        const sent = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
        return parseAnswer(
          await sendRaw(stack.apiUrl, `${head}${length}${sent}${chunks.length > 0 ? "0\r\n\r\n" : ""}`),
        );
      };
      expect((await sendChunks(...(JSON.stringify(good).match(/.{1,9}/g) ?? []))).status).toBe(200);
      expect(await sendChunks()).toMatchObject({ status: 400, body: expect.stringContaining("body: is required") });
      expect((await sendChunks(...Array.from({ length: 30 }, () => "x".repeat(10_000)))).status).toBe(413);
    });

    it("of another content type returns 400", async () => {
      expect(await post(JSON.stringify(good), "text/plain")).toEqual(
        refused(/^content-type: must be application\/json$/),
      );
    });

    it("of more than 256 KiB returns 413", async () => {
      const data = `0x${"00".repeat(140_000)}`;
      expect(await post(JSON.stringify({ ...good, data }))).toEqual([
        413,
        { error: "body: must have at most 262144 bytes" },
      ]);
    });

    it("with unknown keys or upper-case hex is accepted", async () => {
      const upper = `0x${account.slice(2).toUpperCase()}`;
      const [status, answer] = await post(
        `{"account":"${upper}","target":"${upper}","__proto__":{"value":"9"},"x":[1]}`,
      );
      expect(status).toBe(200);
      expect(answer).toMatchObject({ account, target: account, value: "0", selector: null });
    });
  });

  it("suggests calls by the account that make a denied transaction pass", { timeout: 180_000 }, async () => {
    // The chain is reverted after every case, which an index would see as a series of reorgs.
    await stack.stopIndexer();
    const { client } = stack;
    const more = Array.from({ length: 3 * UPDATES_TO_TRY }, () => checked[world.random.below(checked.length)] as Case);
    const denied = more.filter(({ answer }) => !answer.allowed).slice(0, UPDATES_TO_TRY);
    expect(denied).toHaveLength(UPDATES_TO_TRY);
    for (const { one, answer } of denied) {
      const { account } = one;
      const snapshot = await client.snapshot();
      await client.impersonateAccount({ address: account });
      await client.setBalance({ address: account, value: 10n ** 20n });
      for (const { call } of answer.required_policy_updates) {
        const params = [{ from: account, ...call, gas: numberToHex(1_000_000) }];
        await mined(client, client.request({ method: "eth_sendTransaction", params } as never));
      }
      const [verdict] = await verdicts(stack, ["payment" in one ? paymentCall(one) : transactionCall(one)]);
      expect(verdict, JSON.stringify(answer)).toBeNull();
      await client.revert({ id: snapshot });
    }
  });
});
