import { eq, getTableColumns } from "drizzle-orm";
import type { Hex } from "viem";
import { settlement } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { address, hash } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { newestFirst } from "../core/orders";
import { addressText, hashText, timeText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { dollarField } from "../prices/value";
import { dollarsAt, NO_DOLLARS } from "./trade-values";

const SettlementLine = z
  .strictObject({
    kind: z
      .int()
      .min(0)
      .max(255)
      .openapi({ description: "What the line pays for, as the payer numbers it.", example: 0 }),
    recipient: addressText,
    token: addressText,
    amount: uintText,
    metadata_hash: hashText,
  })
  .openapi("SettlementLine");

const Settlement = z
  .strictObject({
    execution_hash: hashText,
    quote_hash: hashText.openapi({ description: "As the payer named it. Such a quote need not exist." }),
    settlement_plan_hash: hashText,
    payer: addressText,
    token: addressText,
    gross_amount: uintText,
    amount_usd: dollarsAt("first execution").openapi({
      description: `\`gross_amount\` in dollars, at the hour of the first execution. ${NO_DOLLARS}`,
    }),
    deadline: timeText.nullable().openapi({ description: "Unix seconds. Null if the lines are unknown." }),
    lines: z.array(SettlementLine).nullable().openapi({ description: "Null if the lines are unknown." }),
    lines_known: z.boolean().openapi({
      description:
        "Whether the lines are known, from the calldata of the transaction. They are not if a contract made the call, or if there are more than 1,000.",
    }),
    executions: uintText.openapi({ description: "How often the same instruction was executed, and paid." }),
    block_number: uintText,
    tx_hash: hashText,
    executed_at: timeText,
  })
  .openapi("Settlement");

const Lines = z.array(SettlementLine);

const selectSettlements = (db: Selectable) =>
  db
    .select({
      ...getTableColumns(settlement),
      amountUsd: dollarField(settlement.grossAmount, settlement.token, settlement.executedAt),
    })
    .from(settlement)
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectSettlements>>[number];

const toWire = (row: Row): z.input<typeof Settlement> => ({
  execution_hash: row.executionHash,
  quote_hash: row.quoteHash,
  settlement_plan_hash: row.settlementPlanHash,
  payer: row.payer,
  token: row.token,
  gross_amount: String(row.grossAmount),
  amount_usd: row.amountUsd,
  deadline: row.deadline === null ? null : String(row.deadline),
  lines: row.lines === null ? null : Lines.parse(JSON.parse(row.lines)),
  lines_known: row.lines !== null,
  executions: String(row.executions),
  block_number: String(row.blockNumber),
  tx_hash: row.txHash,
  executed_at: String(row.executedAt),
});

const findSettlement = preparedQuery((db, { executionHash }: Placeholders<{ executionHash: Hex; chainId: number }>) =>
  selectSettlements(db).where(eq(settlement.executionHash, executionHash)),
);

const getSettlement = operation({
  route: "GET /settlements/{executionHash}",
  summary: "One settlement by its execution hash, with its lines.",
  input: z.object({ executionHash: hash }),
  output: Settlement,
  errors: [404],
  example: { executionHash: `0x${"1f".repeat(32)}` },
  dependsOn: ["index", "store"],
  async run({ db, store, config: { chainId } }, { executionHash }) {
    await store();
    const [row] = await findSettlement(db, { executionHash, chainId });
    if (!row) throw new NotFound(`Settlement ${executionHash} not found`);
    return toWire(row);
  },
});

const listSettlements = listOperation({
  route: "GET /settlements",
  summary: "Settlements, newest first.",
  description: "Payments of quotes through the SettlementAdapter, split over lines.",
  name: "settlements",
  item: Settlement,
  filters: {
    quote_hash: hash.optional(),
    settlement_plan_hash: hash.optional(),
    payer: address.optional(),
    token: address.optional(),
  },
  example: {},
  dependsOn: ["index", "store"],
  query: selectSettlements,
  rows: settlement,
  where: ({ quote_hash, settlement_plan_hash, payer, token }) => [
    quote_hash && eq(settlement.quoteHash, quote_hash),
    settlement_plan_hash && eq(settlement.settlementPlanHash, settlement_plan_hash),
    payer && eq(settlement.payer, payer),
    token && eq(settlement.token, token),
  ],
  orders: newestFirst(settlement, "blockNumber", "logIndex"),
  toWire,
});

export const settlements = { get: getSettlement, list: listSettlements };
