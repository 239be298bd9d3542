import type { Row } from "../index-of";
import { byId, type Chain, inChunks, lower, type Rows } from "./chain";

type Policy = Row<"policy">;

/** The columns that all policies share. */
const bare = {
  guardian: null,
  enabled: null,
  maxPerPayment: null,
  maxPerDay: null,
  spentToday: null,
  lastReset: null,
} satisfies Partial<Policy>;

/** The id of a policy: account, type and key. */
const joined = (...parts: string[]) => parts.join("-").toLowerCase();

/** The current state of every policy. The events list the policies, and the getters return their values. */
export async function policyRows({ client, read, events }: Chain): Promise<Rows<"policy">> {
  const from = events("PolicyModule");
  const [spendLimits, paymentPolicies, targets, functions, modes, guardians, freezes] = await Promise.all([
    client.getContractEvents({ ...from, eventName: "SpendLimitSet" }),
    client.getContractEvents({ ...from, eventName: "PaymentPolicySet" }),
    client.getContractEvents({ ...from, eventName: "TargetAllowlistUpdated" }),
    client.getContractEvents({ ...from, eventName: "FunctionAllowlistUpdated" }),
    client.getContractEvents({ ...from, eventName: "FunctionAllowlistModeUpdated" }),
    client.getContractEvents({ ...from, eventName: "GuardianSet" }),
    client.getContractEvents({ ...from, eventName: "AccountFrozen" }),
  ]);

  /** One row for the last log of each policy. */
  const rowsOf = <Log extends { blockNumber: bigint; args: { account: `0x${string}` } }>(
    policyType: Policy["policyType"],
    logs: readonly Log[],
    keyOf: (log: Log) => string,
    state: (log: Log) => Promise<Partial<Policy>>,
  ): Promise<Policy[]> =>
    inChunks([...byId(logs, (log) => joined(log.args.account, keyOf(log))).values()], async (log) => ({
      ...bare,
      account: lower(log.args.account),
      policyType,
      key: keyOf(log),
      blockNumber: String(log.blockNumber),
      ...(await state(log)),
    }));

  const rows = await Promise.all([
    rowsOf(
      "SPEND_LIMIT",
      spendLimits,
      ({ args }) => joined(args.token),
      async ({ args: { account, token } }) => {
        const limit = await read("PolicyModule", "getSpendLimit", [account, token]);
        return {
          maxPerDay: String(limit.maxPerDay),
          spentToday: String(limit.spentToday),
          lastReset: String(limit.lastResetTimestamp),
        };
      },
    ),
    rowsOf(
      "PAYMENT_POLICY",
      paymentPolicies,
      ({ args }) => joined(args.merchant, args.token, args.facilitator),
      async ({ args: { account, merchant, token, facilitator } }) => {
        const policy = await read("PolicyModule", "getPaymentPolicy", [account, merchant, token, facilitator]);
        return {
          enabled: policy.allowed,
          maxPerPayment: String(policy.maxPerPayment),
          maxPerDay: String(policy.maxPerDay),
          spentToday: String(policy.spentToday),
          lastReset: String(policy.lastResetTimestamp),
        };
      },
    ),
    rowsOf(
      "TARGET_ALLOWLIST",
      targets,
      ({ args }) => joined(args.target),
      async ({ args: { account, target } }) => ({
        enabled: await read("PolicyModule", "isTargetAllowed", [account, target]),
      }),
    ),
    rowsOf(
      "FUNCTION_ALLOWLIST",
      functions,
      ({ args }) => joined(args.target, args.selector),
      async ({ args: { account, target, selector } }) => ({
        enabled: await read("PolicyModule", "isFunctionAllowed", [account, target, selector]),
      }),
    ),
    // The mode has no getter.
    rowsOf(
      "FUNCTION_ALLOWLIST_MODE",
      modes,
      () => "",
      async ({ args }) => ({ enabled: args.enabled }),
    ),
    rowsOf(
      "GUARDIAN",
      guardians,
      () => "",
      async ({ args }) => ({
        guardian: lower(await read("PolicyModule", "guardianOf", [args.account])),
      }),
    ),
    rowsOf(
      "ACCOUNT_FROZEN",
      freezes,
      () => "",
      async ({ args }) => ({
        enabled: await read("PolicyModule", "isAccountFrozen", [args.account]),
      }),
    ),
  ]);
  return { policy: rows.flat() };
}
