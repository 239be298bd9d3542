import { type SQL, sql } from "drizzle-orm";
import type { Address } from "viem";
import { fill, merchant, receipt } from "../../ponder.schema";
import { BadInput, NotFound } from "../core/errors";
import { address, id, idOrAddress, oneOf } from "../core/inputs";
import { operation, z } from "../core/operation";
import { addressText, decimalText, timeText, uintText } from "../core/outputs";
import type { Selectable } from "../indexed/database";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { textLiteral } from "../indexed/text-literal";
import { resolvedMetadata, tokenPrice } from "../offchain/tables";
import { dollarsOf, dollarText } from "../prices/value";
import { evidenceOf, recordPath, searchFor } from "../trust/evidence";
import { skeletonsIn } from "../trust/look-alike";
import { ownColumns, participants, type TrustKind, trustKinds } from "../trust/participant";
import { attestorsOf, daysSince, disputesOf, registeredAt, totalsOf } from "../trust/record";
import { checks, levels, reasonsOf, verdictOf, verdicts } from "../trust/verdict";
import { isMetadataOf } from "./resource-metadata";

/** The newest payments of a record whose amounts are compared. */
const USUAL = sql.raw("100");

/** The oldest records with one name that are read: later ones can't hide them. */
const MAX_NAMED = sql.raw("100");
/** How many look-alikes are shown. */
const MAX_SHOWN = 5;

/** How old the price of an amount may be, in seconds. */
const MAX_PRICE_AGE = sql.raw("86400");

type Named = { id: string; name: string; credit: number };

/**
 * Whether a column has a value, for the newest rows that have it. Of an equality, PostgreSQL would expect as few rows as the
 * average value has, and sort all of them.
 */
const hasValue = (column: SQL, value: SQL): SQL => sql`${column} BETWEEN ${value} AND ${value}`;

/** The column of receipts that identifies those of a record, and its value. */
const receiptsOf: Readonly<Record<Exclude<TrustKind, "solver">, [column: SQL, value: SQL]>> = {
  merchant: [sql`${receipt.merchantId}`, sql`own.id`],
  service: [sql`${receipt.serviceNumericId}`, sql`own.id`],
  agent: [sql`${receipt.agent}`, sql`own.address`],
  facilitator: [sql`${receipt.facilitator}`, sql`own.address`],
};

/** The newest payments, as amount, token and time, and whether they count: proven, and not to oneself. */
function newestPayments(kind: TrustKind): SQL {
  if (kind === "solver")
    return sql`SELECT ${fill.amountIn} AS amount, ${fill.inputToken} AS token, ${fill.filledAt} AS time,
        ${fill.owner} <> own.address AS counts
      FROM ${fill} WHERE ${hasValue(sql`${fill.solver}`, sql`own.address`)}
      ORDER BY ${fill.solver} DESC, ${fill.filledAt} DESC, ${fill.intentId} DESC LIMIT ${USUAL}`;
  const [column, value] = receiptsOf[kind];
  return sql`SELECT ${receipt.amount} AS amount, ${receipt.token} AS token, ${receipt.settledAt} AS time,
      ${receipt.paymentProof} <> 'claim' AND NOT EXISTS (
        SELECT FROM ${merchant} WHERE ${merchant.merchantId} = ${receipt.merchantId}
          AND ${receipt.agent} IN (${merchant.owner}, ${merchant.payoutAddress})
      ) AS counts
    FROM ${receipt} WHERE ${hasValue(column, value)} ORDER BY ${column} DESC, ${receipt.receiptId} DESC LIMIT ${USUAL}`;
}

/** The average dollar value of the newest payments that count; null without any. */
const usualDollars = (kind: TrustKind) => {
  const dollars = dollarsOf(sql`newest.amount`, sql`newest.token`, sql`newest.time`);
  return sql<string | null>`(SELECT ${dollarText(sql`avg(${dollars})`)} FROM (${newestPayments(kind)}) AS newest
    WHERE newest.counts)`;
};

/** The dollar value of an amount at the newest price of the last day. */
const dollarsNow = ({ amount, token, now }: Pick<Placeholders<Values>, "amount" | "token" | "now">) =>
  sql<string | null>`(SELECT ${dollarText(sql`${amount}::numeric * ${tokenPrice.unitPrice}`)} FROM ${tokenPrice}
    WHERE ${tokenPrice.chainId} = ${sql.placeholder("chainId")} AND ${tokenPrice.address} = ${token}
      AND ${tokenPrice.hour} <= ${now} AND ${tokenPrice.hour} > ${now}::bigint - ${MAX_PRICE_AGE}
      AND ${tokenPrice.unitPrice} IS NOT NULL
    ORDER BY ${tokenPrice.hour} DESC LIMIT 1)`;

/** Records of the same kind and of other owners whose name reads like the record's, with the most credit first. */
const namedAlike = (kind: TrustKind) => {
  const { tables, id, address, key } = participants[kind];
  return sql<Named[]>`(SELECT coalesce(json_agg(found ORDER BY found.credit DESC, found.id::numeric), '[]') FROM (
      SELECT ${id}::text AS id, ${resolvedMetadata.name} AS name, (${totalsOf(kind, key)} ->> 'credit')::bigint AS credit
      FROM (
        SELECT DISTINCT oldest.id FROM unnest(${skeletonsIn(sql`named.name`)}) AS skeleton(name) CROSS JOIN LATERAL (
          SELECT ${resolvedMetadata.subjectId} AS id FROM ${resolvedMetadata}
          WHERE ${resolvedMetadata.chainId} = ${sql.placeholder("chainId")}
            AND ${resolvedMetadata.subject} = ${textLiteral(kind)} AND lower(${resolvedMetadata.name}) = skeleton.name
          ORDER BY ${resolvedMetadata.subjectId} LIMIT ${MAX_NAMED}
        ) AS oldest
      ) AS alike, ${tables} JOIN ${resolvedMetadata} ON ${isMetadataOf(kind)}
      WHERE ${id} = alike.id AND ${id} <> own.id AND ${address} <> own.address
    ) AS found)`;
};

type Values = {
  id: string;
  chainId: number;
  listed: string[];
  now: bigint;
  amount: string | null;
  token: string | null;
};

/** Everything that a verdict about a record depends on, by its id or by its address. */
const selectFacts = (kind: TrustKind, by: "id" | "address") =>
  preparedQuery((db: Selectable, values: Placeholders<Values>) => {
    const { tables, id, address, ofAddress } = participants[kind];
    const { amount } = values;
    const query = db
      .select({
        id: sql<string>`own.id::text`,
        address: sql<Address>`own.address`,
        isActive: sql<boolean>`own.is_active`,
        disputesOf: sql<string | null>`own.disputes_of`,
        name: sql<string | null>`named.name`,
        registeredAt: registeredAt(),
        totals: totalsOf(kind),
        disputes: disputesOf(kind),
        attestors: attestorsOf(),
        alike: namedAlike(kind),
        dollars: dollarsNow(values),
        usual: sql<string | null>`CASE WHEN ${amount}::numeric IS NOT NULL THEN ${usualDollars(kind)} END`,
      })
      .from(
        sql`${tables} LEFT JOIN ${resolvedMetadata} ON ${isMetadataOf(kind)} CROSS JOIN ${ownColumns(kind)}
          CROSS JOIN LATERAL (SELECT ${resolvedMetadata.name} AS name) AS named`,
      );
    return by === "id"
      ? query.where(sql`${id} = ${values.id}::numeric`)
      : query
          .where(sql`${address} = ${values.id}::text`)
          .orderBy(ofAddress ?? id)
          .limit(1);
  });

const selections = Object.fromEntries(
  trustKinds.map((kind) => [kind, { id: selectFacts(kind, "id"), address: selectFacts(kind, "address") }]),
) as Record<TrustKind, Record<"id" | "address", ReturnType<typeof selectFacts>>>;

const Reason = z
  .strictObject({
    code: z.enum(checks).openapi({ description: "What was checked.", example: "age" }),
    level: z.enum(levels).openapi({ description: "How it affects the verdict.", example: "info" }),
    message: z.string().openapi({ description: "The outcome, with the limit.", example: "The merchant 1 is active." }),
    evidence: z
      .string()
      .openapi({ description: "The path of the records behind it, in this API.", example: "/merchants/1" }),
  })
  .openapi("TrustReason");

const Facts = z
  .strictObject({
    address: addressText.openapi({
      description: "The owner of a merchant, service or agent; the address of the others.",
    }),
    name: z
      .string()
      .nullable()
      .openapi({ description: "From its metadata. Null if unknown.", example: "Skyline Data" }),
    active: z.boolean().openapi({ description: "Whether it is active, for agents not revoked." }),
    registered_at: timeText.openapi({ description: "The time of its registration, in unix seconds." }),
    age_days: uintText.openapi({ description: "Whole days since then." }),
    payments: uintText.openapi({ description: "Receipts, or fills of a solver, in listed tokens." }),
    counterparties: uintText.openapi({ description: "Distinct ones in each listed token, added up." }),
    credit: uintText.openapi({ description: "As in reputations. A fill counts like a settlement." }),
    open_disputes: uintText.nullable().openapi({ description: "Null for solvers and facilitators." }),
    lost_disputes: uintText.nullable().openapi({ description: "Null for solvers and facilitators." }),
    attestors: uintText.openapi({ description: "Active attestors that attest its address." }),
    token_listed: z
      .boolean()
      .nullable()
      .openapi({ description: "Whether the token is on the list of the chain. Null without a token.", example: true }),
    amount_usd: decimalText
      .nullable()
      .openapi({ description: "The amount in dollars at the newest price of the last day. Null if unknown." }),
    usual_amount_usd: decimalText
      .nullable()
      .openapi({ description: "The average of its proven payments among the newest 100. Null if unknown." }),
    look_alikes: z
      .array(
        z.strictObject({
          id: uintText.openapi({ description: "Its id." }),
          name: z.string().openapi({ description: "Its name, from its metadata.", example: "Skyline Data" }),
          evidence: z.string().openapi({ description: "The path of the record.", example: "/merchants/2" }),
        }),
      )
      .openapi({
        description: "Records of other owners with a name that looks the same, and at least as much credit.",
        example: [],
      }),
  })
  .openapi("TrustFacts");

const Trust = z
  .strictObject({
    kind: z.enum(trustKinds).openapi({ description: "The kind of the record.", example: "merchant" }),
    id: uintText.openapi({ description: "The id of the record." }),
    verdict: z
      .enum(verdicts)
      .openapi({ description: "By the worst reason: info, review or avoid.", example: "proceed" }),
    reasons: z.array(Reason).openapi({ description: "The outcome of every check that applies." }),
    facts: Facts,
  })
  .openapi("Trust");

/** Dollars with up to 6 decimals, in millionths. */
const microsOf = (dollars: string | null) => {
  if (dollars === null) return null;
  const [whole = "", fraction = ""] = dollars.split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
};

const isAddress = (id: string) => id.startsWith("0x");

const checkTrust = operation({
  route: "GET /trust/{kind}/{id}",
  summary: "Whether to pay or hire a participant.",
  description: "A verdict by fixed rules, with reasons and evidence.",
  input: z.object({
    kind: oneOf(...trustKinds),
    id: idOrAddress.openapi({ description: "Also an address, except for merchants and services." }),
    amount: id.optional().openapi({ description: "In the token's smallest unit.", example: "1500000" }),
    token: address.optional().openapi({ description: "Required with amount." }),
  }),
  output: Trust,
  errors: [404],
  example: { kind: "merchant", id: "1" },
  check(_, { kind, id, amount, token }) {
    if (isAddress(id) && !participants[kind].ofAddress)
      throw new BadInput(`id: must be an id in decimal digits for a ${kind}`);
    if (amount !== undefined && token === undefined) throw new BadInput("token: is required with amount");
  },
  dependsOn: ["index", "store", "time"],
  async run(context, { kind, id, amount, token }) {
    const { db, config } = context;
    await context.store();
    const { now } = await context.clock();
    const [row] = await selections[kind][isAddress(id) ? "address" : "id"](db, {
      ...{ id, chainId: config.chainId, listed: [...config.listed.keys()], now },
      ...{ amount: amount === undefined ? null : String(amount), token: token ?? null },
    });
    if (!row) throw new NotFound(`No ${kind} ${id} found`);
    const { address, isActive, name, registeredAt, totals, disputes, attestors } = row;
    const ageDays = daysSince(BigInt(registeredAt), now);
    const alike = row.alike.filter(({ credit }) => credit >= totals.credit);
    const isListed = token !== undefined && config.listed.has(token);
    const reasons = reasonsOf({
      ...{ title: `${kind} ${row.id}`, inactive: kind === "agent" ? "revoked" : "inactive", isActive, ageDays },
      ...{ credit: totals.credit, counterparties: totals.counterparties, attestors, name, lookAlikes: alike.length },
      ...(disputes && { disputes }),
      ...(token !== undefined && { token: { isListed } }),
      ...(amount !== undefined && { amount: { dollars: microsOf(row.dollars), usual: microsOf(row.usual) } }),
    });
    const paths = evidenceOf({ kind, id: row.id, address, disputesOf: row.disputesOf });
    const evidence = {
      status: paths.record,
      age: paths.record,
      payments: paths.payments,
      disputes: paths.disputes,
      attestations: paths.attestations,
      name: name === null ? paths.record : searchFor(kind, name),
      token: `/tokens/${token}`,
      amount: paths.payments,
    };
    return {
      kind,
      id: row.id,
      verdict: verdictOf(reasons),
      reasons: reasons.map((reason) => ({ ...reason, evidence: evidence[reason.code] })),
      facts: {
        address,
        name,
        active: isActive,
        registered_at: registeredAt,
        age_days: String(ageDays),
        payments: String(totals.receipts),
        counterparties: String(totals.counterparties),
        credit: String(totals.credit),
        open_disputes: disputes && String(disputes.open),
        lost_disputes: disputes && String(disputes.lost),
        attestors: String(attestors),
        token_listed: token === undefined ? null : isListed,
        amount_usd: row.dollars,
        usual_amount_usd: row.usual,
        look_alikes: alike.slice(0, MAX_SHOWN).map((other) => ({
          id: other.id,
          name: other.name,
          evidence: recordPath(kind, other.id),
        })),
      },
    };
  },
});

export const trust = { check: checkTrust };
