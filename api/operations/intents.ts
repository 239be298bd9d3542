import { and, eq, getTableColumns, gt, lte, type SQL, sql } from "drizzle-orm";
import { zeroHash } from "viem";
import { fill, fillProof, intent } from "../../ponder.schema";
import type { Clock } from "../core/clock";
import type { Config } from "../core/context";
import { NotFound } from "../core/errors";
import { address, hash, id, statusFilter } from "../core/inputs";
import { listOperation } from "../core/list";
import type { Now } from "../core/list-queries";
import { operation, z } from "../core/operation";
import { newestFirst } from "../core/orders";
import { addressText, hashText, orNull, timeText, uintText } from "../core/outputs";
import { idsWithin, requireRange, timeRange } from "../core/time-range";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { textLiteral } from "../indexed/text-literal";
import { dollarField } from "../prices/value";
import { IntentMetadata, linkedMetadataField, unlessZero } from "./intent-metadata";
import { dollarsAt, NO_DOLLARS, Price, priceOf, SurplusBps, SurplusUsd, surplusBps } from "./trade-values";

/** The contract's `IntentType`, in its order. */
const intentTypes = ["SWAP_EXACT_IN_MAX_SLIPPAGE"] as const;

/** A later version of the contract may have more types than {@link intentTypes}. */
const intentTypeText = z
  .string()
  .regex(new RegExp(`^(${intentTypes.join("|")}|UNKNOWN_\\d{1,3})$`))
  .openapi({ example: intentTypes[0] });

export const Fill = z
  .strictObject({
    solver: addressText,
    amount_in: uintText,
    amount_out: uintText,
    amount_in_usd: dollarsAt("fill"),
    amount_out_usd: dollarsAt("fill"),
    tx_hash: hashText,
    block_number: uintText,
    result_hash: hashText,
    trace_hash: hashText,
    attestation_id: uintText,
    bid_id: z.string().nullable().openapi({ description: "The bid that was filled.", example: "1-2" }),
    filled_at: timeText,
  })
  .openapi("Fill");

const Intent = z
  .strictObject({
    intent_id: uintText,
    owner: addressText,
    intent_type: intentTypeText,
    input_token: addressText,
    output_token: addressText,
    amount_in_max: uintText,
    amount_out_min: uintText,
    amount_in_usd: dollarsAt("submission").openapi({
      description: `\`amount_in_max\` in dollars, at the hour of the submission. ${NO_DOLLARS}`,
    }),
    amount_out_usd: dollarsAt("submission").openapi({
      description: `\`amount_out_min\` in dollars, at the hour of the submission. ${NO_DOLLARS}`,
    }),
    price: Price.openapi({
      description:
        "Output per input, in whole tokens, rounded to 18 decimals: of the fill, or else of the intent's limits. Null unless both tokens are on the token list, and if the amount in is 0.",
    }),
    surplus_bps: SurplusBps,
    surplus_usd: SurplusUsd,
    deadline: timeText,
    slippage_bps: uintText,
    nonce: uintText,
    status: z.enum(["OPEN", "FILLED", "CANCELLED", "EXPIRED"]),
    block_number: uintText.openapi({ description: "The block of the submission." }),
    fill: orNull(Fill),
    intent_hash: hashText,
    execution: z
      .strictObject({
        target: addressText.nullable(),
        data_hash: hashText.nullable(),
        required_attestation_subject: hashText.nullable(),
        required_attestation_schema: hashText.nullable(),
        metadata_uri_hash: hashText.nullable(),
      })
      .openapi("ExecutionCommitments", {
        description: "The owner's on-chain commitments for the execution. Null means no commitment.",
      }),
    metadata: orNull(IntentMetadata).openapi({ description: "The linked off-chain metadata." }),
    tx_hash: hashText,
    submitted_at: timeText,
  })
  .openapi("Intent");

/** An intent can be filled until its deadline, exclusive. */
export const isExpired = ({ deadline }: { deadline: bigint }, clock: Clock) => clock.hasReached(deadline);

/** The fill of an intent as responses have it. Rows of few columns are mapped much faster. */
const fillField = sql<z.input<typeof Fill> | null>`CASE WHEN ${fill.intentId} IS NOT NULL THEN json_build_object(
  'solver', ${fill.solver},
  'amount_in', ${fill.amountIn}::text,
  'amount_out', ${fill.amountOut}::text,
  'amount_in_usd', ${dollarField(fill.amountIn, fill.inputToken, fill.filledAt)},
  'amount_out_usd', ${dollarField(fill.amountOut, fill.outputToken, fill.filledAt)},
  'tx_hash', ${fill.txHash},
  'block_number', ${fill.blockNumber}::text,
  'result_hash', coalesce(${fillProof.resultHash}, ${textLiteral(zeroHash)}),
  'trace_hash', coalesce(${fillProof.traceHash}, ${textLiteral(zeroHash)}),
  'attestation_id', coalesce(${fillProof.attestationId}, 0)::text,
  'bid_id', ${fill.intentId} || '-' || ${fill.bidId},
  'filled_at', ${fill.filledAt}::text
) END`;

/** The values of an intent's limits, and of the surplus of its fill. */
const dollarFields = {
  amountInUsd: dollarField(intent.amountInMax, intent.inputToken, intent.submittedAt),
  amountOutUsd: dollarField(intent.amountOutMin, intent.outputToken, intent.submittedAt),
  surplusUsd: dollarField(sql`(${fill.amountOut} - ${intent.amountOutMin})`, fill.outputToken, fill.filledAt),
};

/**
 * The fill of an intent. The sum has no order that PostgreSQL knows: from ids with an order on both sides, it would merge a
 * page with all fills before it.
 */
const isFillOfIntent = sql`${fill.intentId} = ${intent.intentId} + 0`;

/** Selects intents with their fills, and with the metadata in the store: indexing an intent writes no metadata. */
const selectIntents = (db: Selectable) =>
  db
    .select({ ...getTableColumns(intent), ...dollarFields, fill: fillField, metadata: linkedMetadataField })
    .from(intent)
    .leftJoin(fill, isFillOfIntent)
    .leftJoin(fillProof, eq(fillProof.intentId, fill.intentId))
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectIntents>>[number];

/** The amounts that an intent was filled with, or else its limits. */
const amountsOf = ({ fill, amountInMax, amountOutMin }: Row) => ({
  amountIn: fill ? BigInt(fill.amount_in) : amountInMax,
  amountOut: fill ? BigInt(fill.amount_out) : amountOutMin,
});

const toWire = (row: Row, clock: Clock, config: Config): z.input<typeof Intent> => ({
  intent_id: String(row.intentId),
  owner: row.owner,
  intent_type: intentTypes[row.intentType] ?? `UNKNOWN_${row.intentType}`,
  input_token: row.inputToken,
  output_token: row.outputToken,
  amount_in_max: String(row.amountInMax),
  amount_out_min: String(row.amountOutMin),
  amount_in_usd: row.amountInUsd,
  amount_out_usd: row.amountOutUsd,
  price: priceOf({ ...row, ...amountsOf(row) }, config),
  surplus_bps: row.fill && surplusBps(BigInt(row.fill.amount_out), row.amountOutMin),
  surplus_usd: row.surplusUsd,
  deadline: String(row.deadline),
  slippage_bps: String(row.slippageBps),
  nonce: String(row.nonce),
  status: row.status === "OPEN" && isExpired(row, clock) ? "EXPIRED" : row.status,
  block_number: String(row.blockNumber),
  fill: row.fill,
  intent_hash: row.intentHash,
  execution: {
    target: unlessZero(row.executionTarget),
    data_hash: unlessZero(row.executionDataHash),
    required_attestation_subject: unlessZero(row.requiredAttestationSubject),
    required_attestation_schema: unlessZero(row.requiredAttestationSchema),
    metadata_uri_hash: unlessZero(row.metadataUriHash),
  },
  metadata: row.metadata,
  tx_hash: row.txHash,
  submitted_at: String(row.submittedAt),
});

const statuses = ["open", "filled", "cancelled", "expired"] as const;

/** Selects the intents with a status. */
const hasStatus = (status: (typeof statuses)[number], time: Now): SQL | undefined => {
  switch (status) {
    case "open":
      return and(eq(intent.status, "OPEN"), gt(intent.deadline, time.now));
    case "expired":
      return and(eq(intent.status, "OPEN"), lte(intent.deadline, time.now));
    case "filled":
      return eq(intent.status, "FILLED");
    case "cancelled":
      return eq(intent.status, "CANCELLED");
  }
};

const findIntent = preparedQuery((db, { id }: Placeholders<{ id: bigint; chainId: number }>) =>
  selectIntents(db).where(eq(intent.intentId, id)),
);

const getIntent = operation({
  route: "GET /intents/{id}",
  summary: "One intent by its id.",
  description: "With its fill, on-chain commitments and metadata.",
  input: z.object({ id }),
  output: Intent,
  errors: [404],
  example: { id: "1" },
  dependsOn: ["index", "store", "time"],
  async run(context, { id }) {
    await context.store();
    const [row] = await findIntent(context.db, { id, chainId: context.config.chainId });
    if (!row) throw new NotFound(`Intent ${id} not found`);
    return toWire(row, await context.clock(), context.config);
  },
});

const listIntents = listOperation({
  route: "GET /intents",
  summary: "Intents, newest first.",
  description: "With `sort=deadline`, the earliest deadline is first.",
  name: "intents",
  item: Intent,
  filters: {
    status: statusFilter(...statuses).optional(),
    owner: address.optional(),
    intent_hash: hash.optional(),
    input_token: address.optional(),
    output_token: address.optional(),
    ...timeRange("submitted"),
  },
  variants: ["status"],
  example: { status: "filled" },
  dependsOn: ["index", "store", "time"],
  query: selectIntents,
  rows: intent,
  where: ({ status, owner, intent_hash, input_token, output_token, from, to }, time) => [
    status && hasStatus(status, time),
    owner && eq(intent.owner, owner),
    intent_hash && eq(intent.intentHash, intent_hash),
    input_token && eq(intent.inputToken, input_token),
    output_token && eq(intent.outputToken, output_token),
    ...idsWithin(intent, intent.intentId, intent.submittedAt, { from, to }),
  ],
  orders: {
    ...newestFirst(intent, "intentId"),
    deadline: [
      { column: intent.deadline, of: (row) => row.deadline },
      { column: intent.intentId, of: (row) => row.intentId },
    ],
  },
  check: (_, range) => requireRange(range),
  toWire,
});

export const intents = { get: getIntent, list: listIntents };
