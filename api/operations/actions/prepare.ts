import { eq } from "drizzle-orm";
import type { Address } from "viem";
import { policy } from "../../../ponder.schema";
import { BadInput } from "../../core/errors";
import { type Placeholders, preparedQuery } from "../../indexed/prepared-query";
import { describeCall } from "../../preflight/describe-call";
import { preflight } from "../preflight";
import type { Next, PreparedAction, TypedData } from "./answer";
import type { Scope } from "./scope";
import { simulate } from "./simulation";
import { direct, type Sender, type Sent, type Step, throughAccount } from "./step";

/** What an action does. */
export type Prepared = {
  summary: string;
  steps: readonly Step[];
  typedData?: TypedData;
  /** The payment that the typed data authorizes. Only policies checked before the signature can prevent it. */
  payment?: { merchant: Address; token: Address; facilitator: Address; amount: bigint };
  next?: Next;
};

const selectPolicy = preparedQuery((db, { account }: Placeholders<{ account: Address }>) =>
  db.select({ type: policy.policyType }).from(policy).where(eq(policy.account, account)).limit(1),
);

type Check = NonNullable<PreparedAction["preflight"]>[number];

/** What the policies of `from` say: for the answer, and which transactions they deny. */
type Checks = { answers: Check[] | undefined; denied: ReadonlySet<Sent> };

/** The preflight of each transaction that the policies of `from` apply to. No answers if it has no policies. */
async function checkPolicies(scope: Scope, sent: readonly Sent[], payment: Prepared["payment"]): Promise<Checks> {
  const { context, from, isPolicyAccount } = scope;
  const denied = new Set<Sent>();
  const applies = sent.filter(({ hasPolicies }) => hasPolicies);
  if (applies.length === 0 && !payment) return { answers: undefined, denied };
  if (!isPolicyAccount && (await selectPolicy(context.db, { account: from })).length === 0)
    return { answers: undefined, denied };
  const answers: Check[] = [];
  if (payment) {
    const { amount, ...route } = payment;
    answers.push(await scope.read(preflight.check, { account: from, payment: { ...route, amount: String(amount) } }));
  }
  for (const one of applies) {
    const { to: target, value, data } = one.step;
    const check = await scope.read(preflight.check, { account: from, target, value: String(value), data });
    if (!check.allowed) denied.add(one);
    answers.push(check);
  }
  const reasons = answers.flatMap((check) => (check.allowed ? [] : check.reasons));
  if (reasons.length > 0) scope.warn("policies", `The policies of ${from} deny this: ${reasons.join("; ")}.`);
  return { answers, denied };
}

/**
 * Three fifths more than was used: up to a fifth of what a transaction needs is refunded at its end (EIP-3529), and the state
 * may change until it is mined.
 */
const gasLimit = (used: bigint) => (used * 8n) / 5n;

/** Throws for a sender that can't be. Before the action is prepared, which may publish a document. */
export function checkSender({ account, signer }: Sender): void {
  if (signer !== undefined && account === undefined)
    throw new BadInput("signer: is only for a policy account; send account as well");
}

/** The answer for a prepared action: its transactions, what they would do, and what to be careful about. */
export async function answerOf(scope: Scope, prepared: Prepared, sender: Sender): Promise<PreparedAction> {
  const { from, isPolicyAccount, context } = scope;
  const { chainId, contracts } = context.config;
  const { summary, steps, typedData, next = null } = prepared;
  const sent = steps.map((step) => (isPolicyAccount ? throughAccount(step, from) : direct(step)));
  const checking = checkPolicies(scope, sent, prepared.payment);
  const [checks, simulation] = await Promise.all([
    checking,
    simulate(scope, sent, sender, async () => (await checking).denied),
  ]);
  return {
    // The account is the transactions' `to`.
    summary: isPolicyAccount && steps.length > 0 ? `${summary} The policy account ${from} does this.` : summary,
    transactions: sent.map(({ to, data, value, step }, index) => {
      const used = simulation?.results[index]?.gas_used ?? null;
      const isWrapped = to !== step.to;
      return {
        from: isPolicyAccount ? (sender.signer ?? null) : from,
        to,
        data,
        value: String(value),
        chainId,
        // Of the account's own call, the transaction of its signer uses more.
        gas: used === null || (isWrapped && sender.signer === undefined) ? null : String(gasLimit(BigInt(used))),
        description: `${isWrapped ? `Through the policy account ${from}: ` : ""}${describeCall({ target: step.to, value: step.value, data: step.data }, contracts)}`,
      };
    }),
    ...(typedData && { typed_data: typedData }),
    simulation,
    ...(checks.answers && { preflight: checks.answers }),
    warnings: scope.warnings,
    next,
  };
}
