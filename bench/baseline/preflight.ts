import { Router } from "express";
import { type Address, type Hex, zeroAddress } from "viem";
import { checkPayment, checkTransaction, type Denial, type Payment, type SpendCheck } from "../../api/preflight/check";
import { describeCall } from "../../api/preflight/describe-call";
import { reasonOf } from "../../api/preflight/reason";
import { selectorOf } from "../../api/preflight/token-spend";
import { type PolicyUpdate, paymentUpdates, transactionUpdates } from "../../api/preflight/updates";
import { INDEXED_BLOCK, NOW, query } from "./database";
import { deployed } from "./deployment";
import { address, bytes, HttpError, id, optional } from "./input";

export const preflight = Router();

type Row = {
  policy_type: string;
  key: string;
  enabled: boolean | null;
  max_per_payment: string | null;
  max_per_day: string | null;
  spent_today: string | null;
  last_reset: string | null;
};

/** The policies of an account ($1) for a transaction to a target ($2) with a selector, and for a payment ($4). */
const POLICIES = `
  SELECT policy_type, key, enabled, max_per_payment, max_per_day, spent_today, last_reset FROM policy
  WHERE account = $1 AND (
    policy_type IN ('ACCOUNT_FROZEN', 'FUNCTION_ALLOWLIST_MODE')
    OR (policy_type = 'TARGET_ALLOWLIST' AND key = $2)
    OR (policy_type = 'SPEND_LIMIT' AND key IN ($2, '${zeroAddress}'))
    OR (policy_type = 'FUNCTION_ALLOWLIST' AND key = $3)
    OR (policy_type = 'PAYMENT_POLICY' AND key = $4)
  )`;

function parsePayment(sent: unknown): Payment | undefined {
  if (sent === undefined) return undefined;
  if (typeof sent !== "object" || sent === null) throw new HttpError(400, "payment: must be a JSON object");
  const { merchant, token, facilitator, amount } = sent as Record<string, unknown>;
  return {
    merchant: address("payment.merchant", merchant),
    token: address("payment.token", token),
    facilitator: address("payment.facilitator", facilitator),
    amount: BigInt(id("payment.amount", amount)),
  };
}

const limitOf = (row: Row) => ({
  maxPerDay: BigInt(row.max_per_day ?? 0),
  spentToday: BigInt(row.spent_today ?? 0),
  lastReset: BigInt(row.last_reset ?? 0),
});

/** The rows as the policy checks take them. */
function policiesOf(rows: Row[]) {
  const isEnabled = (type: string) => rows.some((row) => row.policy_type === type && row.enabled === true);
  const payment = rows.find((row) => row.policy_type === "PAYMENT_POLICY");
  return {
    frozen: isEnabled("ACCOUNT_FROZEN"),
    targetAllowed: isEnabled("TARGET_ALLOWLIST"),
    functionAllowlistOn: isEnabled("FUNCTION_ALLOWLIST_MODE"),
    functionAllowed: isEnabled("FUNCTION_ALLOWLIST"),
    limitOf: (token: Address) => {
      const row = rows.find(({ policy_type, key }) => policy_type === "SPEND_LIMIT" && key === token);
      return row && limitOf(row);
    },
    policy: payment && {
      ...limitOf(payment),
      maxPerPayment: BigInt(payment.max_per_payment ?? 0),
      allowed: payment.enabled ?? false,
    },
  };
}

const spendToJson = ({ token, attempted, maxPerDay, spentToday, remaining, allowed }: SpendCheck) => ({
  token,
  attempted: String(attempted),
  max_per_day: maxPerDay === null ? null : String(maxPerDay),
  spent_today: String(spentToday),
  remaining: remaining === null ? null : String(remaining),
  allowed,
});

function updateToJson(update: PolicyUpdate) {
  const common = { policy_type: update.policyType, call: { to: deployed.PolicyModule, data: update.data } };
  if ("payment" in update) {
    const { merchant, token, facilitator } = update.payment;
    const { maxPerPayment, maxPerDay } = update.suggested;
    const limits = { max_per_payment: String(maxPerPayment), max_per_day: String(maxPerDay), allowed: true };
    return { ...common, merchant, token, facilitator, suggested_value: limits };
  }
  if ("token" in update) return { ...common, token: update.token, suggested_value: String(update.suggested) };
  return { ...common, target: update.target, selector: update.selector, suggested_value: update.suggested };
}

function describePayment({ merchant, token, facilitator, amount }: Payment): string {
  const asset = token === zeroAddress ? "the native coin" : `token ${token}`;
  const through = facilitator === zeroAddress ? "" : ` through facilitator ${facilitator}`;
  return `Pay ${merchant} ${amount} of ${asset}${through}`;
}

/** A freeze denies both the transaction and the payment, and is lifted once. */
const freezeOnce = (denials: Denial[]) => {
  const first = denials.find(({ why }) => why === "frozen");
  return denials.filter((denial) => denial.why !== "frozen" || denial === first);
};

preflight.post("/preflight", async (req, res) => {
  const body: Record<string, unknown> = req.body ?? {};
  const account = address("account", body.account);
  const target = optional(address, "target", body);
  const value = BigInt(optional(id, "value", body) ?? 0);
  const data: Hex = optional(bytes, "data", body) ?? "0x";
  const payment = parsePayment(body.payment);
  if (target === undefined && (payment === undefined || value > 0n || data !== "0x"))
    throw new HttpError(400, "target: is required");
  const transaction = target && { target, value, data };
  const selector = transaction ? selectorOf(data) : null;

  const [rows, [head]] = await Promise.all([
    query<Row>(POLICIES, [
      account,
      target,
      selector && `${target}-${selector}`,
      payment && `${payment.merchant}-${payment.token}-${payment.facilitator}`,
    ]),
    query<{ now: string; block: string | null }>(`SELECT ${NOW} AS now, ${INDEXED_BLOCK} AS block`),
  ]);
  const now = BigInt(head?.now ?? 0);
  const accountPolicies = policiesOf(rows);
  const ofTransaction = transaction && checkTransaction(accountPolicies, transaction, now);
  const ofPayment = payment && checkPayment(accountPolicies, payment, now);
  const denials = [...(ofTransaction?.denials ?? []), ...(ofPayment?.denials ?? [])];
  const updates = [
    ...transactionUpdates(account, freezeOnce(denials)),
    ...(payment && ofPayment ? paymentUpdates(accountPolicies, payment, ofPayment) : []),
  ];
  const actions = [transaction && describeCall(transaction, deployed), payment && describePayment(payment)];
  const spends = [...(ofTransaction?.spends ?? []), ...(ofPayment ? [ofPayment.spend] : [])];
  res.json({
    allowed: denials.length === 0,
    action: actions.filter((action) => action !== undefined).join("; "),
    reasons: [...new Set(denials.map((denial) => reasonOf(account, denial)))],
    missing_policies: [...new Set(updates.map(({ policyType }) => policyType))],
    spend_checks: spends.map(spendToJson),
    required_policy_updates: updates.map(updateToJson),
    account,
    target: target ?? null,
    selector,
    value: String(value),
    block_number: head?.block ?? null,
  });
});
