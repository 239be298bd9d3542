import { zeroAddress } from "viem";
import type { Row } from "../index-of";
import type { Rows } from "./chain";
import type { CommerceRows } from "./commerce";

type Total = Row<"total">;

/** The contribution of one row to a total. */
type Part = Partial<Omit<Total, "subject" | "key">> & Pick<Total, "key">;

const none = { count: 0, active: 0, settled: 0, fulfilled: 0, revoked: 0, volume: "0", protocolFees: "0" };

const plus = (one: string, other: string) => String(BigInt(one) + BigInt(other));

/** The totals of one subject, summed by key. */
function sumUp(subject: Total["subject"], parts: readonly Part[]): Total[] {
  const totals = new Map<string, Total>();
  for (const { key, ...part } of parts) {
    const before = totals.get(key) ?? { subject, key, ...none };
    const added = { ...none, count: 1, ...part };
    totals.set(key, {
      subject,
      key,
      count: before.count + added.count,
      active: before.active + added.active,
      settled: before.settled + added.settled,
      fulfilled: before.fulfilled + added.fulfilled,
      revoked: before.revoked + added.revoked,
      volume: plus(before.volume, added.volume),
      protocolFees: plus(before.protocolFees, added.protocolFees),
    });
  }
  return [...totals.values()];
}

const ofActive = ({ active }: { active: boolean }): Part => ({ key: "", active: Number(active) });

/** The amounts of a quote or receipt, by key. */
const amounts = (
  key: string,
  { amount, protocolFeeAmount }: Pick<Row<"receipt">, "amount" | "protocolFeeAmount">,
): Part => ({ key, volume: amount, protocolFees: protocolFeeAmount });

/** All totals, computed from the expected rows. */
export function totalRows(commerce: CommerceRows, attestations: Row<"attestation">[]): Rows<"total"> {
  const { merchant, service, facilitator, quote, receipt, dispute, trustSignal } = commerce;
  const withFacilitator = receipt.filter((one) => one.facilitator !== zeroAddress);
  const total = [
    sumUp("merchants", merchant.map(ofActive)),
    sumUp("services", service.map(ofActive)),
    sumUp("facilitators", facilitator.map(ofActive)),
    sumUp(
      "quotes",
      quote.map((one) => ({ ...amounts("", one), settled: Number(one.settled) })),
    ),
    sumUp(
      "receipts_by_token",
      receipt.map((one) => amounts(one.token, one)),
    ),
    sumUp(
      "receipts_by_merchant",
      receipt.map((one) => ({ ...amounts(one.merchantId, one), fulfilled: Number(one.fulfillmentHash !== null) })),
    ),
    sumUp(
      "receipts_by_service",
      receipt.map((one) => ({
        ...amounts(one.serviceNumericId, one),
        fulfilled: Number(one.fulfillmentHash !== null),
      })),
    ),
    sumUp(
      "receipts_by_facilitator",
      withFacilitator.map((one) => amounts(one.facilitator, one)),
    ),
    sumUp(
      "receipts_by_payment_rail",
      receipt.map((one) => amounts(String(one.paymentRail), one)),
    ),
    sumUp(
      "receipts_by_payment_proof",
      receipt.map(({ merchantId, paymentProof }) => ({ key: `${merchantId}-${paymentProof}` })),
    ),
    sumUp(
      "disputes_by_status",
      dispute.map(({ status }) => ({ key: status })),
    ),
    sumUp(
      "disputes_by_merchant",
      dispute.map(({ merchantId, status }) => ({ key: `${merchantId}-${status}` })),
    ),
    sumUp(
      "disputes_by_service",
      dispute.map(({ serviceNumericId, status }) => ({ key: `${serviceNumericId}-${status}` })),
    ),
    sumUp(
      "disputes_by_opener",
      dispute.map(({ opener, status }) => ({ key: `${opener}-${status}` })),
    ),
    sumUp(
      "signals_by_kind",
      trustSignal.map(({ kind }) => ({ key: String(kind) })),
    ),
    sumUp(
      "signals_by_subject",
      trustSignal.map(({ subjectType, subjectId, kind }) => ({ key: `${subjectType}-${subjectId}-${kind}` })),
    ),
    sumUp(
      "attestations_by_attester",
      attestations.map(({ attester, revoked }) => ({ key: attester, revoked: Number(revoked) })),
    ),
  ];
  return { total: total.flat() };
}
