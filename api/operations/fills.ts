import { eq, getTableColumns, gte, lt, ne, sql } from "drizzle-orm";
import { type Address, zeroHash } from "viem";
import { fill, fillProof, intent } from "../../ponder.schema";
import type { Config } from "../core/context";
import { address } from "../core/inputs";
import { listOutput, noClock, pagedList, pageInput, sortInput } from "../core/list";
import type { Source } from "../core/list-queries";
import { operation, z } from "../core/operation";
import { newestFirst } from "../core/orders";
import { addressText, uintText } from "../core/outputs";
import { requireRange, timeRange } from "../core/time-range";
import type { Selectable } from "../indexed/database";
import { onchainBidId } from "../offchain/bids";
import { dollarField } from "../prices/value";
import { Fill } from "./intents";
import { Price, priceOf, SurplusBps, SurplusUsd, surplusBps } from "./trade-values";

const FillRecord = z
  .strictObject({
    intent_id: uintText,
    owner: addressText.openapi({ description: "The owner of the intent." }),
    input_token: addressText,
    output_token: addressText,
    ...Fill.shape,
    price: Price,
    surplus_bps: SurplusBps,
    surplus_usd: SurplusUsd,
  })
  .openapi("FillRecord");

const { filledAt, intentId, ...otherColumns } = getTableColumns(fill);

/** The columns of a fill. Those of the order come first. */
const fillColumns = { filledAt, intentId, ...otherColumns };

const selectFills = (db: Selectable) =>
  db
    .select({
      ...fillColumns,
      resultHash: fillProof.resultHash,
      traceHash: fillProof.traceHash,
      attestationId: fillProof.attestationId,
      minimum: intent.amountOutMin,
      amountInUsd: dollarField(fill.amountIn, fill.inputToken, fill.filledAt),
      amountOutUsd: dollarField(fill.amountOut, fill.outputToken, fill.filledAt),
      surplusUsd: dollarField(sql`(${fill.amountOut} - ${intent.amountOutMin})`, fill.outputToken, fill.filledAt),
    })
    .from(fill)
    .innerJoin(intent, eq(intent.intentId, fill.intentId))
    .leftJoin(fillProof, eq(fillProof.intentId, fill.intentId))
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectFills>>[number];

const toWire = (row: Row, config: Config): z.input<typeof FillRecord> => ({
  intent_id: String(row.intentId),
  owner: row.owner,
  input_token: row.inputToken,
  output_token: row.outputToken,
  solver: row.solver,
  amount_in: String(row.amountIn),
  amount_out: String(row.amountOut),
  amount_in_usd: row.amountInUsd,
  amount_out_usd: row.amountOutUsd,
  tx_hash: row.txHash,
  block_number: String(row.blockNumber),
  result_hash: row.resultHash ?? zeroHash,
  trace_hash: row.traceHash ?? zeroHash,
  attestation_id: String(row.attestationId ?? 0),
  bid_id: row.bidId === null ? null : onchainBidId(row.intentId, row.bidId),
  filled_at: String(row.filledAt),
  price: priceOf(row, config),
  surplus_bps: surplusBps(row.amountOut, row.minimum),
  surplus_usd: row.surplusUsd,
});

type Filters = {
  solver?: Address | undefined;
  owner?: Address | undefined;
  token?: Address | undefined;
  from?: bigint | undefined;
  to?: bigint | undefined;
};

type FillSource = Source<Filters, never, Row>;

const orders = newestFirst(fill, "filledAt", "intentId");

/** The fills with a token on one side, or all. Two sources with a limit each are fast; PostgreSQL can't sort by OR. */
const source = (ofToken: FillSource["where"]): FillSource => ({
  query: selectFills,
  rows: fill,
  where: (filters, time) => [
    filters.solver && eq(fill.solver, filters.solver),
    filters.owner && eq(fill.owner, filters.owner),
    filters.from && gte(fill.filledAt, filters.from),
    filters.to && lt(fill.filledAt, filters.to),
    ...ofToken(filters, time),
  ],
  orders,
});

const route = "GET /fills";
const allFills = pagedList<Filters, Row>(route, [source(() => [])]);
const fillsOfToken = pagedList<Filters, Row>(route, [
  source(({ token }) => [token && eq(fill.inputToken, token)]),
  source(({ token }) => [token && eq(fill.outputToken, token), token && ne(fill.inputToken, token)]),
]);

const listFills = operation({
  route,
  summary: "Fills of intents, newest first.",
  description: "`token` is on either side.",
  input: z.object({
    solver: address.optional(),
    owner: address.optional(),
    token: address.optional(),
    ...timeRange("made"),
    sort: sortInput(orders),
    ...pageInput,
  }),
  output: listOutput("fills", FillRecord),
  example: { solver: "0x90f79bf6eb2c4f870365e785982e1f101e93b906" },
  dependsOn: ["index", "store"],
  check: (_, range) => requireRange(range),
  async run(context, input) {
    await context.store();
    const list = input.token === undefined ? allFills : fillsOfToken;
    const { rows, pagination } = await list(context, context.db, noClock, input);
    return { fills: rows.map((row) => toWire(row, context.config)), pagination };
  },
});

export const fills = { list: listFills };
