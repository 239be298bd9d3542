import { eq, getTableColumns } from "drizzle-orm";
import type { Hex } from "viem";
import { paymentRails, quote } from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { address, flag, hash, id } from "../core/inputs";
import { listOperation } from "../core/list";
import { operation, z } from "../core/operation";
import { newestFirst } from "../core/orders";
import { addressText, hashText, timeText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { dollarField } from "../prices/value";
import { runningTotals } from "./running-totals";
import { dollarsAt } from "./trade-values";

export const PaymentRail = z
  .int()
  .min(0)
  .max(255)
  .openapi({
    description: `How it is paid: ${paymentRails.map((rail, number) => `${number} ${rail}`).join(", ")}.`,
    example: 3,
  });

export const feeBps = z.int().min(0).max(65_535).openapi({ description: "Basis points.", example: 0 });

export const Quote = z
  .strictObject({
    quote_hash: hashText,
    merchant_id: uintText,
    service_numeric_id: uintText,
    agent: addressText,
    token: addressText,
    facilitator: addressText,
    amount: uintText,
    amount_usd: dollarsAt("first commitment"),
    payment_rail: PaymentRail,
    protocol_fee_bps: feeBps,
    protocol_fee_amount: uintText,
    expires_at: timeText,
    payment_nonce: uintText,
    resource_hash: hashText,
    terms_hash: hashText,
    x402_payload_hash: hashText,
    settled: z.boolean(),
    block_number: uintText,
    committed_at: timeText,
  })
  .openapi("Quote");

const selectQuotes = (db: Selectable) =>
  db
    .select({ ...getTableColumns(quote), amountUsd: dollarField(quote.amount, quote.token, quote.committedAt) })
    .from(quote)
    .$dynamic();

type Row = Awaited<ReturnType<typeof selectQuotes>>[number];

const toWire = (row: Row): z.input<typeof Quote> => ({
  quote_hash: row.quoteHash,
  merchant_id: String(row.merchantId),
  service_numeric_id: String(row.serviceNumericId),
  agent: row.agent,
  token: row.token,
  facilitator: row.facilitator,
  amount: String(row.amount),
  amount_usd: row.amountUsd,
  payment_rail: row.paymentRail,
  protocol_fee_bps: row.protocolFeeBps,
  protocol_fee_amount: String(row.protocolFeeAmount),
  expires_at: String(row.expiresAt),
  payment_nonce: String(row.paymentNonce),
  resource_hash: row.resourceHash,
  terms_hash: row.termsHash,
  x402_payload_hash: row.x402PayloadHash,
  settled: row.settled,
  block_number: String(row.blockNumber),
  committed_at: String(row.committedAt),
});

const findQuote = preparedQuery((db, { quoteHash }: Placeholders<{ quoteHash: Hex; chainId: number }>) =>
  selectQuotes(db).where(eq(quote.quoteHash, quoteHash)),
);

const getQuote = operation({
  route: "GET /quotes/{quoteHash}",
  summary: "One committed quote by its hash.",
  input: z.object({ quoteHash: hash }),
  output: Quote,
  errors: [404],
  example: { quoteHash: `0x${"1f".repeat(32)}` },
  dependsOn: ["index", "store"],
  async run({ db, store, config: { chainId } }, { quoteHash }) {
    await store();
    const [row] = await findQuote(db, { quoteHash, chainId });
    if (!row) throw new NotFound(`Quote ${quoteHash} not found`);
    return toWire(row);
  },
});

const listQuotes = listOperation({
  route: "GET /quotes",
  summary: "Committed quotes, newest first.",
  name: "quotes",
  item: Quote,
  filters: { merchant_id: id.optional(), agent: address.optional(), settled: flag.optional() },
  example: { settled: "false" },
  dependsOn: ["index", "store"],
  query: selectQuotes,
  rows: quote,
  where: ({ merchant_id, agent, settled }) => [
    merchant_id === undefined ? undefined : eq(quote.merchantId, merchant_id),
    agent && eq(quote.agent, agent),
    settled === undefined ? undefined : eq(quote.settled, settled),
  ],
  orders: newestFirst(quote, "blockNumber", "logIndex"),
  counted: runningTotals("quotes"),
  toWire,
});

export const quotes = { get: getQuote, list: listQuotes };
