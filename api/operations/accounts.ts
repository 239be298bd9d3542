import { eq } from "drizzle-orm";
import { type Address, zeroAddress } from "viem";
import { policySubjects } from "../../common/rows/policy-key";
import { DAY } from "../../common/rows/spend-window";
import { policy, type policyTypes } from "../../ponder.schema";
import type { Clock } from "../core/clock";
import { address } from "../core/inputs";
import { listOutput, pagedList, pageInput } from "../core/list";
import { operation, z } from "../core/operation";
import { addressText, selectorText, timeText, uintText } from "../core/outputs";

const policyOf = <const Type extends (typeof policyTypes)[number], const Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
) => z.strictObject({ policy_type: z.literal(type), ...shape, block_number: uintText });

const Policy = z
  .discriminatedUnion("policy_type", [
    policyOf("ACCOUNT_FROZEN", { frozen: z.boolean() }),
    policyOf("FUNCTION_ALLOWLIST", { target: addressText, selector: selectorText, allowed: z.boolean() }),
    policyOf("FUNCTION_ALLOWLIST_MODE", { enabled: z.boolean() }),
    policyOf("GUARDIAN", { guardian: addressText }),
    policyOf("PAYMENT_POLICY", {
      merchant: addressText,
      token: addressText,
      facilitator: addressText,
      max_per_payment: uintText,
      max_per_day: uintText,
      allowed: z.boolean(),
    }),
    policyOf("SPEND_LIMIT", {
      token: addressText,
      max_per_day: uintText,
      spent_today: uintText,
      window_resets_at: timeText
        .nullable()
        .openapi({ description: "Null if nothing was spent in the current window." }),
    }),
    policyOf("TARGET_ALLOWLIST", { target: addressText, allowed: z.boolean() }),
  ])
  .openapi("Policy");

type Row = typeof policy.$inferSelect;

/** The amount spent in the current window, and when the window ends. */
const spending = ({ spentToday, lastReset }: Row, clock: Clock) => {
  const resetsAt = (lastReset ?? 0n) + DAY;
  return clock.hasReached(resetsAt)
    ? { spent_today: "0", window_resets_at: null }
    : { spent_today: String(spentToday ?? 0), window_resets_at: String(resetsAt) };
};

const toWire = (row: Row, clock: Clock): z.input<typeof Policy> => {
  const [first = zeroAddress, second = zeroAddress, third = zeroAddress] = policySubjects(row.key);
  const enabled = row.enabled ?? false;
  const block_number = String(row.blockNumber);
  const max_per_day = String(row.maxPerDay ?? 0);
  switch (row.policyType) {
    case "ACCOUNT_FROZEN":
      return { policy_type: row.policyType, frozen: enabled, block_number };
    case "FUNCTION_ALLOWLIST":
      return { policy_type: row.policyType, target: first, selector: second, allowed: enabled, block_number };
    case "FUNCTION_ALLOWLIST_MODE":
      return { policy_type: row.policyType, enabled, block_number };
    case "GUARDIAN":
      return { policy_type: row.policyType, guardian: row.guardian ?? zeroAddress, block_number };
    case "PAYMENT_POLICY":
      return {
        policy_type: row.policyType,
        merchant: first,
        token: second,
        facilitator: third,
        max_per_payment: String(row.maxPerPayment ?? 0),
        max_per_day,
        allowed: enabled,
        block_number,
      };
    case "SPEND_LIMIT":
      return { policy_type: row.policyType, token: first, max_per_day, ...spending(row, clock), block_number };
    case "TARGET_ALLOWLIST":
      return { policy_type: row.policyType, target: first, allowed: enabled, block_number };
  }
};

const listRoute = "GET /accounts/{address}/policies";

const policies = pagedList<{ address: Address }, typeof policy.$inferSelect>(listRoute, [
  {
    query: (db) => db.select().from(policy).$dynamic(),
    rows: policy,
    where: ({ address }) => [eq(policy.account, address)],
    orders: {
      subject: [
        { column: policy.policyType, of: (row) => row.policyType },
        { column: policy.key, of: (row) => row.key },
      ],
    },
  },
]);

const listPolicies = operation({
  route: listRoute,
  summary: "The current policies of an account.",
  description: "Ordered by type, then by subject.",
  input: z.object({ address, ...pageInput }),
  output: listOutput("policies", Policy).extend({ account: addressText }),
  example: { address: "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc" },
  dependsOn: ["index", "time"],
  async run(context, input) {
    const clock = await context.clock();
    const { rows, pagination } = await policies(context, context.db, clock, input);
    return { account: input.address, policies: rows.map((row) => toWire(row, clock)), pagination };
  },
});

export const accounts = { policies: listPolicies };
