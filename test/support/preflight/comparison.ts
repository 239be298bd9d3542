import { type Hex, stringify } from "viem";
import type { World } from "../actions/world";
import { policyKinds, runLegalActions } from "../legal-actions";
import type { Stack } from "../stack";
import { allowTokens, anyPayment, anyTime, anyTransaction, type PaymentCase, type TransactionCase } from "./cases";
import { paymentCall, transactionCall, verdicts } from "./contract";

/** The number of rounds, of which each of two files runs half. */
export const rounds = Math.ceil(Number(process.env.PREFLIGHT_ROUNDS ?? 20) / 2);
export const TRANSACTIONS_PER_ROUND = 250;
export const PAYMENTS_PER_ROUND = 50;
const ACTIONS_PER_ROUND = 30;
const CALLS_PER_BATCH = 50;
const AT_ONCE = 16;

export type Answer = {
  allowed: boolean;
  reasons: string[];
  spend_checks: { allowed: boolean }[];
  required_policy_updates: { policy_type: string; call: { to: Hex; data: Hex } }[];
};

type Asked<One> = { one: One; answer: Answer };
export type Case = Asked<TransactionCase | PaymentCase>;

/** The reason for each of the contract's errors. An arithmetic panic is a spend over the limit too. */
export const sentences: Record<string, RegExp> = {
  AccountFrozenError: /^Account 0x[0-9a-f]{40} is frozen$/,
  TargetNotAllowed: /^Target 0x[0-9a-f]{40} is not on the account's allowlist$/,
  FunctionNotAllowed: /^Function 0x[0-9a-f]{8} of 0x[0-9a-f]{40} is not on the account's function allowlist/,
  DailySpendLimitExceeded:
    /^\d+ of .* is more than the \d+ that remain today: \d+ of the daily limit of \d+ are spent$/,
  PaymentNotAllowed: /^No payment to .* is allowed$/,
  PaymentAmountExceeded: /is more than the \d+ that (one payment|remain today)/,
  Panic: /is more than the \d+ that remain today/,
};

/** Maps items with limited concurrency, in order. */
async function mapAtOnce<Item, Result>(
  items: readonly Item[],
  limit: number,
  map: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length) {
      const place = next++;
      results[place] = await map(items[place] as Item);
    }
  };
  await Promise.all(Array.from({ length: limit }, work));
  return results;
}

/** Divides items into chunks. */
const chunksOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, chunk) => items.slice(chunk * size, (chunk + 1) * size));

/** Compares the service with the contract, on accounts with random policies. */
export class Comparison {
  readonly disagreements: string[] = [];
  /** The number of cases by the contract's error, or "allowed". */
  readonly outcomes = new Map<string, number>();
  /** The cases of the last round. */
  checked: Case[] = [];

  private constructor(
    readonly stack: Stack,
    public world: World,
  ) {}

  /** Starts on a stack whose chain has the world's actions, at least those on policies. */
  static async on(stack: Stack, world: World): Promise<Comparison> {
    await allowTokens(world, stack.client);
    return new Comparison(stack, world);
  }

  /** Changes policies, moves the time, and compares random transactions and payments. */
  async round(): Promise<void> {
    const { stack } = this;
    this.world = await runLegalActions(stack, { after: this.world, count: ACTIONS_PER_ROUND, among: policyKinds });
    const { world } = this;
    world.now = anyTime(world);
    await stack.client.setNextBlockTimestamp({ timestamp: world.now });
    await stack.client.mine({ blocks: 1 });
    await stack.indexed();
    const transactions = Array.from({ length: TRANSACTIONS_PER_ROUND }, () => anyTransaction(world));
    const payments = Array.from({ length: PAYMENTS_PER_ROUND }, () => anyPayment(world));
    this.checked = [
      ...(await this.compare(transactions, transactionCall)),
      ...(await this.compare(payments, paymentCall)),
    ];
  }

  /** Compares the service with the contract on cases of one kind. */
  async compare<One extends TransactionCase | PaymentCase>(
    cases: readonly One[],
    call: (one: One) => { from: Hex; data: Hex },
  ): Promise<Asked<One>[]> {
    const [batches, answers] = await Promise.all([
      mapAtOnce(chunksOf(cases, CALLS_PER_BATCH), 1, (chunk) => verdicts(this.stack, chunk.map(call))),
      mapAtOnce(cases, AT_ONCE, (one) => this.ask(one)),
    ]);
    const onChain = batches.flat();
    return cases.map((one, place) => {
      const [answer, error] = [answers[place] as Answer, onChain[place] ?? null];
      this.outcomes.set(error ?? "allowed", (this.outcomes.get(error ?? "allowed") ?? 0) + 1);
      const agrees =
        error === null ? answer.allowed : !answer.allowed && sentences[error]?.test(answer.reasons[0] ?? "");
      if (!agrees)
        this.disagreements.push(
          `${stringify(one)}: the contract ${error ?? "allows it"}, the service ${JSON.stringify(answer)}`,
        );
      return { one, answer };
    });
  }

  /** The outcome in one line, for the log of a run. */
  summary(seed: number): string {
    const cases = [...this.outcomes.values()].reduce((sum, count) => sum + count, 0);
    const counts = [...this.outcomes].map(([outcome, count]) => `${count} ${outcome}`).join(", ");
    return `preflight: ${cases} cases, ${this.disagreements.length} disagreements, seed ${seed} (${counts})`;
  }

  private async ask(body: unknown): Promise<Answer> {
    const text = stringify(body);
    const response = await fetch(`${this.stack.apiUrl}/preflight`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: text,
    });
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()} for ${text}`);
    return (await response.json()) as Answer;
  }
}
