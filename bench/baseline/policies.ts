import { Router } from "express";
import { NOW } from "./database";
import { address } from "./input";
import { readPage } from "./list";

export const policies = Router();

type Row = {
  policy_type: string;
  key: string;
  guardian: string | null;
  enabled: boolean;
  max_per_payment: string;
  max_per_day: string;
  spent_today: string;
  window_resets_at: string | null;
  block_number: string;
};

/** A spend window ends a day after its start. */
const windowEnd = `CASE WHEN last_reset + 86400 > ${NOW} THEN last_reset + 86400 END`;

const columns = `policy_type, key, guardian, coalesce(enabled, false) AS enabled,
  coalesce(max_per_payment, 0) AS max_per_payment, coalesce(max_per_day, 0) AS max_per_day,
  CASE WHEN ${windowEnd} IS NULL THEN 0 ELSE coalesce(spent_today, 0) END AS spent_today,
  ${windowEnd} AS window_resets_at, block_number`;

function toJson({ policy_type, key, enabled, max_per_payment, max_per_day, block_number, ...row }: Row) {
  const [first, second, third] = key.split("-");
  const common = { policy_type, block_number };
  switch (policy_type) {
    case "ACCOUNT_FROZEN":
      return { ...common, frozen: enabled };
    case "FUNCTION_ALLOWLIST":
      return { ...common, target: first, selector: second, allowed: enabled };
    case "FUNCTION_ALLOWLIST_MODE":
      return { ...common, enabled };
    case "GUARDIAN":
      return { ...common, guardian: row.guardian };
    case "PAYMENT_POLICY": {
      const limits = { max_per_payment, max_per_day, allowed: enabled };
      return { ...common, merchant: first, token: second, facilitator: third, ...limits };
    }
    case "SPEND_LIMIT": {
      const { spent_today, window_resets_at } = row;
      return { ...common, token: first, max_per_day, spent_today, window_resets_at };
    }
    default:
      return { ...common, target: first, allowed: enabled };
  }
}

policies.get("/accounts/:address/policies", async (req, res) => {
  const account = address("address", req.params.address);
  const { rows, pagination } = await readPage<Row>(req.query, {
    select: columns,
    from: "policy",
    filters: { account },
    key: ["policy_type", "key"],
  });
  res.json({ account, policies: rows.map(toJson), pagination });
});
