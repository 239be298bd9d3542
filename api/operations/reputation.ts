import { eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { Address } from "viem";
import {
  agent,
  disputeStatuses,
  merchant,
  paymentProofs,
  signalKinds,
  signalSubjects,
  total,
} from "../../ponder.schema";
import { NotFound } from "../core/errors";
import { id } from "../core/inputs";
import { operation, z } from "../core/operation";
import { decimalText, hashText, timeText, uintText } from "../core/outputs";
import { type Placeholders, preparedQuery } from "../indexed/prepared-query";
import { evidenceOf } from "../trust/evidence";
import { ownColumns, type TrustKind } from "../trust/participant";
import {
  attestorsOf,
  daysSince,
  disputesOf,
  dollarsOfRecord,
  registeredAt,
  subjectOfAddress,
  totalsOf,
} from "../trust/record";
import { scoreInputs, scoreOf } from "../trust/score";
import { Agent, agentToWire } from "./agents";
import { Merchant, merchantToWire } from "./merchants";
import { SignalsOfKind } from "./trust-signals";

const evidence = z.string().openapi({
  description: "The path of the records behind it, in this API.",
  example: "/receipts?merchant_id=1",
});

const figure = <Value extends z.ZodType>(value: Value, description: string) =>
  z.strictObject({ value: value.openapi({ description: "The figure." }), evidence }).openapi({ description });

const count = (description: string) => figure(uintText, description);

/** The figures of a record, each with its evidence. */
const Record = z
  .strictObject({
    attestation_subject: hashText.openapi({
      description: "The subject of attestations about this record: 12 zero bytes and the owner's address.",
    }),
    receipts: count(
      "Receipts in listed tokens that the merchant's own owner or payout address did not pay. So are all figures of payments.",
    ),
    volume_usd: figure(
      decimalText,
      "Their dollar value at the prices of their hours, with the amounts that are only claimed. It does not affect the score.",
    ),
    counterparties: count(
      "Distinct merchants of an agent, distinct agents of a merchant: in each listed token, added up.",
    ),
    credit: count(
      "The sum over counterparties and listed tokens of 10 per receipt proven by a settlement, 6 by a facilitator, 1 if only claimed, but at most 30 for each.",
    ),
    disputes: count("Disputes that the agent's owner opened; of a merchant, those about its receipts."),
    open_disputes: count("Those of them that are open."),
    lost_disputes: count("Those that the agent has lost (REJECTED), or the merchant (RESOLVED)."),
    attestors: count(
      "Active registered attestors, other than the owner, with a valid attestation about the subject, among the newest 1,000 attestations.",
    ),
    registered_at: figure(timeText, "The time of the registration, in unix seconds."),
    age_days: count("Whole days since the registration."),
    active: figure(z.boolean(), "Whether the merchant is active, or the agent not revoked."),
  })
  .openapi("ReputationRecord");

const Score = z
  .strictObject({
    value: z.int().min(0).max(100).openapi({ description: "The score.", example: 42 }),
    formula: z.string().openapi({ description: "How the score follows from the inputs and the record.", example: "…" }),
    inputs: z.array(
      z.strictObject({
        name: z.enum(scoreInputs).openapi({ description: "The figure of the record.", example: "credit" }),
        value: z.int().min(0).openapi({ description: "Its value.", example: 60 }),
        weight: z
          .int()
          .openapi({ description: "The limit of its points. Negative points are subtracted.", example: 70 }),
        half: z.int().openapi({ description: "The value that gives half of the points.", example: 300 }),
        points: z.int().openapi({ description: "weight * value / (value + half), without the fraction.", example: 11 }),
      }),
    ),
  })
  .openapi("Score", {
    description: "A score from 0 to 100. Everyone can compute it again from its formula and inputs.",
  });

const AgentReputation = z.strictObject({ agent: Agent, record: Record, score: Score }).openapi("AgentReputation");

const MerchantReputation = z
  .strictObject({
    merchant: Merchant,
    commerce: z.strictObject({
      receipts: uintText,
      settled_volume: uintText,
      fulfilled_receipts: uintText,
      settlement_receipts: uintText.openapi({ description: "Receipts whose `payment_proof` is `settlement`." }),
      facilitator_receipts: uintText.openapi({ description: "Receipts whose `payment_proof` is `facilitator`." }),
      claim_receipts: uintText.openapi({ description: "Receipts whose `payment_proof` is `claim`." }),
    }),
    disputes: z.strictObject({
      disputes: uintText,
      open_disputes: uintText,
      resolved_disputes: uintText,
      rejected_disputes: uintText,
    }),
    trust_signals_by_kind: z.array(SignalsOfKind),
    record: Record,
    score: Score,
  })
  .openapi("MerchantReputation");

/** The figures of a record in a query, and its columns `own`. */
const recordFields = (kind: TrustKind) => ({
  totals: totalsOf(kind),
  dollars: dollarsOfRecord(kind),
  disputes: disputesOf(kind),
  attestors: attestorsOf(),
  registeredAt: registeredAt(),
  attestationSubject: subjectOfAddress(sql`own.address`),
  disputesOf: sql<string>`own.disputes_of`,
});

type Selected<Fields> = { [Name in keyof Fields]: Fields[Name] extends SQL<infer Value> ? Value : never };

type Figures = Selected<ReturnType<typeof recordFields>>;

type Owner = { kind: "agent" | "merchant"; id: string; address: Address; isActive: boolean };

/** The record and its score in the output. */
function describeRecord(owner: Owner, figures: Figures, now: bigint) {
  const { kind, id, address, isActive } = owner;
  const { totals, dollars, attestors, attestationSubject } = figures;
  const disputes = figures.disputes ?? { all: 0, open: 0, lost: 0 };
  const ageDays = daysSince(BigInt(figures.registeredAt), now);
  const paths = evidenceOf({ kind, id, address, disputesOf: figures.disputesOf });
  const counted = (value: number, evidence: string) => ({ value: String(value), evidence });
  const record: z.input<typeof Record> = {
    attestation_subject: attestationSubject,
    receipts: counted(totals.receipts, paths.payments),
    volume_usd: { value: dollars, evidence: paths.payments },
    counterparties: counted(totals.counterparties, paths.payments),
    credit: counted(totals.credit, paths.payments),
    disputes: counted(disputes.all, paths.disputes),
    open_disputes: counted(disputes.open, paths.disputes),
    lost_disputes: counted(disputes.lost, paths.disputes),
    attestors: counted(attestors, paths.attestations),
    registered_at: { value: figures.registeredAt, evidence: paths.record },
    age_days: counted(ageDays, paths.record),
    active: { value: isActive, evidence: paths.record },
  };
  const { credit } = totals;
  return { record, score: scoreOf({ isActive, credit, lostDisputes: disputes.lost, attestors, ageDays }) };
}

type Values = { id: bigint; chainId: number; listed: string[] };

const selectAgent = preparedQuery((db, { id }: Placeholders<Values>) =>
  db
    .select({ agent: getTableColumns(agent), ...recordFields("agent") })
    .from(agent)
    .innerJoin(ownColumns("agent"), sql`true`)
    .where(eq(agent.agentId, id)),
);

const getAgentReputation = operation({
  route: "GET /agents/{agentId}/reputation",
  summary: "An agent's reputation.",
  description: "The record of its owner's address, and a score that contains its formula.",
  input: z.object({ agentId: id }),
  output: AgentReputation,
  errors: [404],
  example: { agentId: "1" },
  dependsOn: ["index", "store", "time"],
  async run(context, { agentId }) {
    const { db, config } = context;
    await context.store();
    const { now } = await context.clock();
    const [row] = await selectAgent(db, { id: agentId, chainId: config.chainId, listed: [...config.listed.keys()] });
    if (!row) throw new NotFound(`Agent ${agentId} not found`);
    const { agent, ...figures } = row;
    const owner = { kind: "agent", id: String(agentId), address: agent.owner, isActive: !agent.revoked } as const;
    return { agent: agentToWire(agent), ...describeRecord(owner, figures, now) };
  },
});

type Total = { subject: string; key: string; count: number; volume: string; fulfilled: number };

const signalKey = (merchantId: string, kind: number) => `${signalSubjects.indexOf("merchant")}-${merchantId}-${kind}`;

const keysOf = (id: bigint) => ({
  receipts: String(id),
  proofs: paymentProofs.map((proof) => `${id}-${proof}`),
  statuses: disputeStatuses.map((status) => `${id}-${status}`),
  signals: signalKinds.map((_, kind) => signalKey(String(id), kind)),
});

const selectMerchant = preparedQuery(
  (db, { id, receipts, proofs, statuses, signals }: Placeholders<Values & ReturnType<typeof keysOf>>) => {
    const { subject, key, count, volume, fulfilled } = total;
    const ofMerchant = sql<Total[]>`(
      SELECT coalesce(json_agg(json_build_object(
        'subject', ${subject}, 'key', ${key}, 'count', ${count}, 'volume', ${volume}::text, 'fulfilled', ${fulfilled}
      )), '[]') FROM ${total}
      WHERE (${subject} = 'receipts_by_merchant' AND ${key} = ${receipts})
        OR (${subject} = 'receipts_by_payment_proof' AND ${key} = ANY(${proofs}::text[]))
        OR (${subject} = 'disputes_by_merchant' AND ${key} = ANY(${statuses}::text[]))
        OR (${subject} = 'signals_by_subject' AND ${key} = ANY(${signals}::text[]))
    )`;
    return db
      .select({ merchant: getTableColumns(merchant), ofMerchant, ...recordFields("merchant") })
      .from(merchant)
      .innerJoin(ownColumns("merchant"), sql`true`)
      .where(eq(merchant.merchantId, id));
  },
);

const getMerchantReputation = operation({
  route: "GET /merchants/{id}/reputation",
  summary: "A merchant's reputation.",
  description: "Receipts, disputes, trust signals, and a score that contains its formula.",
  input: z.object({ id }),
  output: MerchantReputation,
  errors: [404],
  example: { id: "1" },
  dependsOn: ["index", "store", "time"],
  async run(context, { id }) {
    const { db, config } = context;
    await context.store();
    const { now } = await context.clock();
    const listed = [...config.listed.keys()];
    const [row] = await selectMerchant(db, { id, chainId: config.chainId, listed, ...keysOf(id) });
    if (!row) throw new NotFound(`Merchant ${id} not found`);
    const { merchant, ofMerchant, ...figures } = row;
    const receipts = ofMerchant.find(({ subject }) => subject === "receipts_by_merchant");
    const countOf = (key: string) => ofMerchant.find((one) => one.key === key)?.count ?? 0;
    const [open = 0, resolved = 0, rejected = 0] = disputeStatuses.map((status) => countOf(`${id}-${status}`));
    const owner = { kind: "merchant", id: String(id), address: merchant.owner, isActive: merchant.active } as const;
    return {
      merchant: merchantToWire(merchant),
      commerce: {
        receipts: String(receipts?.count ?? 0),
        settled_volume: receipts?.volume ?? "0",
        fulfilled_receipts: String(receipts?.fulfilled ?? 0),
        settlement_receipts: String(countOf(`${id}-settlement`)),
        facilitator_receipts: String(countOf(`${id}-facilitator`)),
        claim_receipts: String(countOf(`${id}-claim`)),
      },
      disputes: {
        disputes: String(open + resolved + rejected),
        open_disputes: String(open),
        resolved_disputes: String(resolved),
        rejected_disputes: String(rejected),
      },
      trust_signals_by_kind: signalKinds
        .map((_, kind) => ({ kind, signals: String(countOf(signalKey(String(id), kind))) }))
        .filter(({ signals }) => signals !== "0"),
      ...describeRecord(owner, figures, now),
    };
  },
});

export const reputationOfAgents = { reputation: getAgentReputation };
export const reputationOfMerchants = { reputation: getMerchantReputation };
