import { and, eq, inArray, or, sql } from "drizzle-orm";
import { type Address, zeroAddress } from "viem";
import { policyKey } from "../../common/rows/policy-key";
import { policy, policyTypes } from "../../ponder.schema";
import type { BaseContext } from "../core/context";
import { BadInput } from "../core/errors";
import { address, bytes, id, uintOrHex } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, bytesText, selectorText, uintText } from "../core/outputs";
import type { IndexDatabase } from "../indexed/database";
import { blockOfCheckpoint } from "../indexed/head";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import {
  checkPayment,
  checkTransaction,
  type Denial,
  type Payment,
  type PaymentPolicies,
  type SpendCheck,
  type Transaction,
  type TransactionPolicies,
} from "../preflight/check";
import { describeCall } from "../preflight/describe-call";
import { policyOf, reasonOf } from "../preflight/reason";
import { selectorOf } from "../preflight/token-spend";
import { type PolicyUpdate, paymentUpdates, transactionUpdates } from "../preflight/updates";

const SpendCheckText = z
  .strictObject({
    token: addressText,
    attempted: uintText,
    max_per_day: uintText.nullable().openapi({ description: "Null means no limit." }),
    spent_today: uintText,
    remaining: uintText.nullable(),
    allowed: z.boolean(),
  })
  .openapi("SpendCheck");

const PolicyUpdateText = z
  .strictObject({
    policy_type: z.enum(policyTypes),
    target: addressText.optional(),
    selector: selectorText.optional(),
    token: addressText.optional(),
    merchant: addressText.optional(),
    facilitator: addressText.optional(),
    suggested_value: z.union([
      z.boolean(),
      uintText,
      z.strictObject({ max_per_payment: uintText, max_per_day: uintText, allowed: z.literal(true) }),
    ]),
    call: z
      .strictObject({ to: addressText, data: bytesText })
      .openapi({ description: "The transaction that makes the change. The account must send it." }),
  })
  .openapi("PolicyUpdate");

const ReasonPolicy = z
  .strictObject({
    policy_type: z.enum(policyTypes),
    token: addressText.nullable().openapi({ description: "The token of its amounts. Null without amounts." }),
    update: z
      .int()
      .min(0)
      .nullable()
      .openapi({ description: "The index in `required_policy_updates` of the change that removes it.", example: 0 }),
  })
  .openapi("ReasonPolicy");

export const Preflight = z
  .strictObject({
    allowed: z.boolean(),
    action: z.string().openapi({ example: "Send 5 wei to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8" }),
    reasons: z
      .array(z.string())
      .openapi({ description: "The reasons for a denial, in the order of the contract's checks." }),
    reason_policies: z.array(ReasonPolicy).openapi({ description: "For each of `reasons`, the policy that denies." }),
    missing_policies: z.array(z.enum(policyTypes)),
    spend_checks: z.array(SpendCheckText),
    required_policy_updates: z.array(PolicyUpdateText),
    account: addressText,
    target: addressText.nullable(),
    selector: selectorText.nullable(),
    value: uintText,
    block_number: uintText.nullable().openapi({ description: "The block at which the policies were read." }),
  })
  .openapi("Preflight");

/** The columns that the checks use. */
const { policyType, key, enabled, maxPerPayment, maxPerDay, spentToday, lastReset } = policy;
const policyColumns = { policyType, key, enabled, maxPerPayment, maxPerDay, spentToday, lastReset };

type Row = Pick<typeof policy.$inferSelect, keyof typeof policyColumns>;

/** The keys of the policies that apply; null for those that do not. */
type PolicyKeys = {
  account: Address;
  target: string | null;
  native: string | null;
  call: string | null;
  payment: string | null;
};

/**
 * Selects the policies with the newest indexed block, in one statement: another one could see another block. Without
 * policies there is one row, of the block only. A starting Ponder locks its tables before its checkpoints; so does this.
 */
const selectPolicies = preparedQuery((db, { account, target, native, call, payment }: Placeholders<PolicyKeys>) =>
  db
    .select({ policy: policyColumns, checkpoint: sql<string | null>`newest.checkpoint` })
    .from(policy)
    .rightJoin(
      sql`(SELECT max(latest_checkpoint) AS checkpoint FROM _ponder_checkpoint) AS newest`,
      and(
        eq(policy.account, account),
        or(
          inArray(policy.policyType, ["ACCOUNT_FROZEN", "FUNCTION_ALLOWLIST_MODE"]),
          and(eq(policy.policyType, "TARGET_ALLOWLIST"), eq(policy.key, target)),
          and(eq(policy.policyType, "SPEND_LIMIT"), or(eq(policy.key, native), eq(policy.key, target))),
          and(eq(policy.policyType, "FUNCTION_ALLOWLIST"), eq(policy.key, call)),
          and(eq(policy.policyType, "PAYMENT_POLICY"), eq(policy.key, payment)),
        ),
      ),
    ),
);

type PoliciesAtBlock = { rows: Row[]; block: bigint | null };

/** Reads the policies of an account that apply to a transaction or payment, and the block that they are of. */
async function relevantPolicies(
  db: IndexDatabase,
  account: Address,
  transaction: Transaction | undefined,
  payment: Payment | undefined,
): Promise<PoliciesAtBlock> {
  const selector = transaction && selectorOf(transaction.data);
  const found = await selectPolicies(db, {
    account,
    target: transaction ? policyKey(transaction.target) : null,
    native: transaction ? policyKey(zeroAddress) : null,
    call: transaction && selector ? policyKey(transaction.target, selector) : null,
    payment: payment ? policyKey(payment.merchant, payment.token, payment.facilitator) : null,
  });
  const checkpoint = found[0]?.checkpoint;
  return {
    rows: found.flatMap(({ policy: row }) => row ?? []),
    block: checkpoint ? blockOfCheckpoint(checkpoint) : null,
  };
}

const limitOf = (row: Row) => ({
  maxPerDay: row.maxPerDay ?? 0n,
  spentToday: row.spentToday ?? 0n,
  lastReset: row.lastReset ?? 0n,
});

const isEnabled = (rows: readonly Row[], policyType: Row["policyType"]) =>
  rows.some((row) => row.policyType === policyType && row.enabled === true);

const transactionPolicies = (rows: readonly Row[]): TransactionPolicies => ({
  frozen: isEnabled(rows, "ACCOUNT_FROZEN"),
  targetAllowed: isEnabled(rows, "TARGET_ALLOWLIST"),
  functionAllowlistOn: isEnabled(rows, "FUNCTION_ALLOWLIST_MODE"),
  functionAllowed: isEnabled(rows, "FUNCTION_ALLOWLIST"),
  limitOf: (token) => {
    const row = rows.find(({ policyType, key }) => policyType === "SPEND_LIMIT" && key === policyKey(token));
    return row && limitOf(row);
  },
});

const paymentPolicies = (rows: readonly Row[]): PaymentPolicies => {
  const row = rows.find(({ policyType }) => policyType === "PAYMENT_POLICY");
  return {
    frozen: isEnabled(rows, "ACCOUNT_FROZEN"),
    policy: row && { ...limitOf(row), maxPerPayment: row.maxPerPayment ?? 0n, allowed: row.enabled ?? false },
  };
};

const spendToWire = (check: SpendCheck): z.input<typeof SpendCheckText> => ({
  token: check.token,
  attempted: String(check.attempted),
  max_per_day: check.maxPerDay === null ? null : String(check.maxPerDay),
  spent_today: String(check.spentToday),
  remaining: check.remaining === null ? null : String(check.remaining),
  allowed: check.allowed,
});

function updateToWire(update: PolicyUpdate, policyModule: Address): z.input<typeof PolicyUpdateText> {
  const common = { policy_type: update.policyType, call: { to: policyModule, data: update.data } };
  if ("payment" in update) {
    const { merchant, token, facilitator } = update.payment;
    const { maxPerPayment, maxPerDay } = update.suggested;
    const limits = { max_per_payment: String(maxPerPayment), max_per_day: String(maxPerDay), allowed: true as const };
    return { ...common, merchant, token, facilitator, suggested_value: limits };
  }
  if ("token" in update) return { ...common, token: update.token, suggested_value: String(update.suggested) };
  const { target, selector, suggested } = update;
  return { ...common, ...(target && { target }), ...(selector && { selector }), suggested_value: suggested };
}

const describePayment = ({ merchant, token, facilitator, amount }: Payment) =>
  `Pay ${merchant} ${amount} of ${token === zeroAddress ? "the native coin" : `token ${token}`}${facilitator === zeroAddress ? "" : ` through facilitator ${facilitator}`}`;

/** Keeps only the first denial by a freeze: it denies both transaction and payment, and one update lifts it. */
const freezeOnce = (denials: readonly Denial[]) =>
  denials.filter(({ why }, place) => why !== "frozen" || denials.findIndex((one) => one.why === "frozen") === place);

const distinct = <Item>(items: readonly Item[]) => [...new Set(items)];

/** The denials with different reasons, each with its reason. */
const distinctReasons = (account: Address, denials: readonly Denial[]): [string, Denial][] => [
  ...new Map(denials.map((denial) => [reasonOf(account, denial), denial])),
];

async function decide(
  { db, config, clock }: BaseContext,
  account: Address,
  transaction: Transaction | undefined,
  payment: Payment | undefined,
): Promise<z.input<typeof Preflight>> {
  const [{ rows, block }, { now: time }] = await Promise.all([
    relevantPolicies(db, account, transaction, payment),
    clock(),
  ]);
  const ofTransaction = transaction && checkTransaction(transactionPolicies(rows), transaction, time);
  const ofPayment = payment && checkPayment(paymentPolicies(rows), payment, time);
  const denials = [...(ofTransaction?.denials ?? []), ...(ofPayment?.denials ?? [])];
  const updates = [
    ...transactionUpdates(account, freezeOnce(denials)),
    ...(payment && ofPayment ? paymentUpdates(paymentPolicies(rows), payment, ofPayment) : []),
  ];
  const reasons = distinctReasons(account, denials);
  return {
    allowed: denials.length === 0,
    action: [transaction && describeCall(transaction, config.contracts), payment && describePayment(payment)]
      .filter((action) => action !== undefined)
      .join("; "),
    reasons: reasons.map(([reason]) => reason),
    reason_policies: reasons.map(([, denial]) => {
      const { policyType, ...policy } = policyOf(denial, updates);
      return { policy_type: policyType, ...policy };
    }),
    missing_policies: distinct(updates.map(({ policyType }) => policyType)),
    spend_checks: [...(ofTransaction?.spends ?? []), ...(ofPayment ? [ofPayment.spend] : [])].map(spendToWire),
    required_policy_updates: updates.map((update) => updateToWire(update, config.contracts.PolicyModule)),
    account,
    target: transaction?.target ?? null,
    selector: transaction ? selectorOf(transaction.data) : null,
    value: String(transaction?.value ?? 0n),
    block_number: block === null ? null : String(block),
  };
}

const checkPreflight = operation({
  route: "POST /preflight",
  summary: "Checks a transaction against an account's policies.",
  description:
    "Whether they allow the transaction, or a signed payment, now. If not, the response has the policy updates that would allow it.",
  input: z.object({
    account: address,
    target: address.optional().openapi({ description: "Required, except for a check of a payment only." }),
    value: uintOrHex.optional().openapi({ description: "In wei. Default: 0." }),
    data: bytes.optional().openapi({ description: "The calldata. Default: empty." }),
    payment: z
      .strictObject({ merchant: address, token: address, facilitator: address, amount: id }, "must be a JSON object")
      .optional(),
  }),
  output: Preflight,
  example: {
    account: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    target: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
    value: "5",
  },
  dependsOn: ["index", "time"],
  async run(context, { account, target, value = 0n, data = "0x", payment }) {
    if (target === undefined && (payment === undefined || value > 0n || data !== "0x"))
      throw new BadInput("target: is required");
    return decide(context, account, target && { target, value, data }, payment);
  },
});

export const preflight = { check: checkPreflight };
