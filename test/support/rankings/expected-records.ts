import { type Hex, pad } from "viem";
import type { rowsOnChain } from "../agreement";
import { dollarText, quotientText } from "./dollars";
import { dollarsAt, type Market, sum } from "./market";

// Reputations and verdicts, computed from all rows of the chain.

type Rows = Awaited<ReturnType<typeof rowsOnChain>>;

/** The rows of a chain, the times of its blocks, and the listed tokens with their prices. */
export type Records = { rows: Rows; timeOf: (block: bigint) => string; market: Omit<Market, "facts"> };

const recordKinds = ["merchant", "service", "agent", "solver", "facilitator"] as const;
type Kind = (typeof recordKinds)[number];

type RecordOf = {
  kind: Kind;
  id: string;
  /** The address that acts for the record, and the key of its payments. */
  address: string;
  key: string;
  isActive: boolean;
  block: string;
  disputes: Rows["dispute"] | null;
};

/** All records of a kind. */
function recordsOf({ rows }: Records, kind: Kind): RecordOf[] {
  const of = <Row extends { blockNumber: string }>(
    row: Row,
    fields: Pick<RecordOf, "id" | "address" | "isActive"> & Partial<RecordOf>,
  ): RecordOf => ({ kind, key: fields.address, block: row.blockNumber, disputes: null, ...fields });
  switch (kind) {
    case "merchant":
      return rows.merchant.map((row) =>
        of(row, {
          ...{ id: row.merchantId, key: row.merchantId, address: row.owner, isActive: row.active },
          disputes: rows.dispute.filter(({ merchantId }) => merchantId === row.merchantId),
        }),
      );
    case "service":
      return rows.service.map((row) => {
        const seller = rows.merchant.find(({ merchantId }) => merchantId === row.merchantId);
        const { serviceNumericId: id } = row;
        return of(row, {
          ...{ id, key: id, address: String(seller?.owner), isActive: row.active && seller?.active === true },
          disputes: rows.dispute.filter(({ serviceNumericId }) => serviceNumericId === id),
        });
      });
    case "agent":
      return rows.agent.map((row) =>
        of(row, {
          ...{ id: row.agentId, address: row.owner, isActive: !row.revoked },
          disputes: rows.dispute.filter(({ opener }) => opener === row.owner),
        }),
      );
    case "solver":
      return rows.solver.map((row) => of(row, { id: row.solverId, address: row.operator, isActive: row.active }));
    case "facilitator":
      return rows.facilitator.map((row) =>
        of(row, { id: row.facilitatorId, address: row.facilitator, isActive: row.active }),
      );
  }
}

const text = (value: number | bigint) => String(value);

/** The figures of a record. */
function figuresOf({ rows, timeOf, market }: Records, record: RecordOf) {
  const { kind, key, address, block, disputes } = record;
  const isOwn = (row: { kind: string; key: string; token: string }) =>
    row.kind === kind && row.key === key && market.listed.has(row.token);
  const [all, self] = kind === "solver" ? ["fills", "self_fills"] : ["receipts", "self_receipts"];
  const totals = rows.participantTotal.filter(isOwn);
  const total = (metric: string | undefined, column: "count" | "counterparties" | "credit") =>
    totals.filter((row) => row.metric === metric).reduce((of, row) => of + row[column], 0);
  const dollars = rows.participantHour.filter(isOwn).map(({ metric, token, start, amount }) => {
    const value = dollarsAt(market, token, BigInt(amount), BigInt(start));
    return metric === all ? value : metric === self ? -value : 0n;
  });
  const attestation_subject = pad(address as Hex, { size: 32 });
  const trusted = new Set(rows.attestor.filter(({ active }) => active).map(({ operator }) => operator));
  const attesters = rows.attestation
    .filter(({ subject, revoked, attester }) => subject === attestation_subject && !revoked && attester !== address)
    .map(({ attester }) => attester)
    .filter((attester) => trusted.has(attester));
  const registeredAt = timeOf(BigInt(block));
  const lost = kind === "agent" ? "REJECTED" : "RESOLVED";
  const counted = (status: string) => disputes?.filter((one) => one.status === status).length ?? 0;
  return {
    attestation_subject,
    payments: total(all, "count") - total(self, "count"),
    dollars: sum(dollars),
    counterparties: total(all, "counterparties"),
    credit: total(all, "credit"),
    disputes: disputes?.length ?? 0,
    open: counted("OPEN"),
    lost: counted(lost),
    attestors: new Set(attesters).size,
    registeredAt,
    ageDays: Number((market.now - BigInt(registeredAt)) / 86_400n),
  };
}

const points = (weight: number, half: number, value: number) => Math.trunc((weight * value) / (value + half));

/** The reputations of all merchants and agents, as the values of the record and the score. */
export function expectedReputations(records: Records) {
  return (["merchant", "agent"] as const).flatMap((kind) =>
    recordsOf(records, kind).map((record) => {
      const { credit, lost, attestors, ageDays, ...figures } = figuresOf(records, record);
      const perMille = lost === 0 ? 0 : Math.floor((1000 * lost) / (lost + credit / 10));
      const sumOfPoints =
        points(70, 300, credit) + points(20, 90, ageDays) + points(10, 2, attestors) + points(-80, 50, perMille);
      return {
        path: `/${kind}s/${record.id}/reputation`,
        record: {
          attestation_subject: figures.attestation_subject,
          receipts: text(figures.payments),
          volume_usd: dollarText(figures.dollars),
          counterparties: text(figures.counterparties),
          credit: text(credit),
          disputes: text(figures.disputes),
          open_disputes: text(figures.open),
          lost_disputes: text(lost),
          attestors: text(attestors),
          registered_at: figures.registeredAt,
          age_days: text(ageDays),
          active: record.isActive,
        },
        score: record.isActive ? Math.max(0, sumOfPoints) : 0,
      };
    }),
  );
}

/** The values of a reputation, as the gateway returns them. */
export function valuesOfReputation(answer: { record: Record<string, unknown>; score: { value: number } }) {
  const values = Object.entries(answer.record).map(([name, one]) => [
    name,
    typeof one === "object" && one !== null && "value" in one ? one.value : one,
  ]);
  return { record: Object.fromEntries(values), score: answer.score.value };
}

/** A payment that a verdict is asked for. Its token is listed. */
export type Payment = { token: string; amount: bigint };

type Paid = { id: string; amount: string; token: string; time: string; counts: boolean };

/** The payments of a record, the newest first. */
function paymentsOf({ rows }: Records, { kind, id, address }: RecordOf): Paid[] {
  const newest = (one: Paid, other: Paid) =>
    Number(BigInt(other.time) - BigInt(one.time)) || Number(BigInt(other.id) - BigInt(one.id));
  if (kind === "solver")
    return rows.fill
      .filter(({ solver }) => solver === address)
      .map((fill): Paid => {
        const { intentId, inputToken: token, amountIn: amount, filledAt: time, owner } = fill;
        return { id: intentId, amount, token, time, counts: owner !== address };
      })
      .sort(newest);
  return rows.receipt
    .filter(
      (one) =>
        ({ merchant: one.merchantId, service: one.serviceNumericId, agent: one.agent, facilitator: one.facilitator })[
          kind
        ] === (kind === "merchant" || kind === "service" ? id : address),
    )
    .map((one): Paid => {
      const seller = rows.merchant.find(({ merchantId }) => merchantId === one.merchantId);
      const isSelf = one.agent === seller?.owner || one.agent === seller?.payoutAddress;
      const { receiptId, amount, token, settledAt: time, paymentProof } = one;
      return { id: receiptId, amount, token, time, counts: paymentProof !== "claim" && !isSelf };
    })
    .sort((one, other) => Number(BigInt(other.id) - BigInt(one.id)));
}

/** The dollars of one payment; null without a price then. */
function dollarsAtTime({ listed, priceOf }: Records["market"], { token, amount, time }: Paid): bigint | null {
  const hour = BigInt(time) - (BigInt(time) % 3_600n);
  if (!listed.has(token) || priceOf(token, hour) == null) return null;
  return dollarsAt({ listed, priceOf }, token, BigInt(amount), hour);
}

/** The average of the newest payments that count and have a price. */
function usualOf(records: Records, record: RecordOf): string | null {
  const values = paymentsOf(records, record)
    .slice(0, 100)
    .filter(({ counts }) => counts)
    .map((paid) => dollarsAtTime(records.market, paid))
    .filter((value) => value !== null);
  return values.length === 0 ? null : quotientText(sum(values), BigInt(values.length) * 10n ** 85n);
}

/** The dollars of an amount at the newest price of the last day. `hours` are those with prices. */
function dollarsNow({ market }: Records, { token, amount }: Payment, hours: readonly bigint[]): string | null {
  const hour = hours
    .filter((one) => one <= market.now && one > market.now - 86_400n && market.priceOf(token, one) != null)
    .reduce((newest, one) => (one > newest ? one : newest), -1n);
  return hour < 0n ? null : dollarText(dollarsAt(market, token, amount, hour));
}

const micros = (dollars: string) => {
  const [whole = "", fraction = ""] = dollars.split(".");
  return BigInt(whole + fraction.padEnd(6, "0"));
};

function levelsOf(
  { isActive, disputes }: RecordOf,
  { ageDays, credit, open, lost }: ReturnType<typeof figuresOf>,
  [amount, usual]: readonly [string | null, string | null],
) {
  const levels: [string, string][] = [
    ["status", isActive ? "info" : "avoid"],
    ["age", ageDays < 7 ? "review" : "info"],
    ["payments", credit < 60 ? "review" : "info"],
  ];
  // More than 20 % and 5 % of the settlements that the credit stands for. A settlement gives 10.
  const isAvoided = lost >= 2 && lost * 50 > credit;
  if (disputes !== null)
    levels.push(["disputes", isAvoided ? "avoid" : (open + lost) * 200 > credit ? "review" : "info"]);
  levels.push(["attestations", "info"], ["name", "info"], ["token", "info"]);
  const isUsual = amount !== null && usual !== null && micros(amount) <= 10n * micros(usual);
  levels.push(["amount", isUsual ? "info" : "review"]);
  return levels;
}

/** The verdicts about all records, and about a payment to each. */
export function expectedVerdicts(records: Records, payment: Payment, hours: readonly bigint[]) {
  return recordKinds.flatMap((kind) =>
    recordsOf(records, kind).map((record) => {
      const figures = figuresOf(records, record);
      const [amount, usual] = [dollarsNow(records, payment, hours), usualOf(records, record)];
      const levels = levelsOf(record, figures, [amount, usual]);
      const worst = ["avoid", "review"].find((level) => levels.some(([, one]) => one === level));
      return {
        path: `/trust/${kind}/${record.id}?token=${payment.token}&amount=${payment.amount}`,
        expected: {
          kind,
          id: record.id,
          verdict: worst ?? "proceed",
          levels,
          facts: {
            address: record.address,
            name: null,
            active: record.isActive,
            registered_at: figures.registeredAt,
            age_days: text(figures.ageDays),
            payments: text(figures.payments),
            counterparties: text(figures.counterparties),
            credit: text(figures.credit),
            open_disputes: record.disputes && text(figures.open),
            lost_disputes: record.disputes && text(figures.lost),
            attestors: text(figures.attestors),
            token_listed: true,
            amount_usd: amount,
            usual_amount_usd: usual,
            look_alikes: [],
          },
        },
      };
    }),
  );
}
