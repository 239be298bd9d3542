import { zeroAddress } from "viem";
import type { Row } from "../index-of";
import type { Rows } from "./chain";
import type { CommerceRows } from "./commerce";

type Total = Row<"total">;

/** The contribution of one row to a total. */
type Part = Partial<Omit<Total, "subject" | "key">> & Pick<Total, "key">;

/** The totals of one subject, summed by key. */
function sumUp(subject: Total["subject"], parts: readonly Part[]): Total[] {
  const totals = new Map<string, Total>();
  for (const { key, count = 1, marked = 0, volume = "0", protocolFees = "0" } of parts) {
    const before = totals.get(key) ?? { subject, key, count: 0, marked: 0, volume: "0", protocolFees: "0" };
    totals.set(key, {
      subject,
      key,
      count: before.count + count,
      marked: before.marked + marked,
      volume: String(BigInt(before.volume) + BigInt(volume)),
      protocolFees: String(BigInt(before.protocolFees) + BigInt(protocolFees)),
    });
  }
  return [...totals.values()];
}

const ofActive = ({ active }: { active: boolean }): Part => ({ key: "", marked: Number(active) });

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
      quote.map((one) => ({ ...amounts("", one), marked: Number(one.settled) })),
    ),
    sumUp(
      "receipts_by_token",
      receipt.map((one) => amounts(one.token, one)),
    ),
    sumUp(
      "receipts_by_merchant",
      receipt.map((one) => ({ ...amounts(one.merchantId, one), marked: Number(one.fulfillmentHash !== null) })),
    ),
    sumUp(
      "receipts_by_service",
      receipt.map((one) => ({ ...amounts(one.serviceNumericId, one), marked: Number(one.fulfillmentHash !== null) })),
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
      "signals_by_kind",
      trustSignal.map(({ kind }) => ({ key: String(kind) })),
    ),
    sumUp(
      "signals_by_subject",
      trustSignal.map(({ subjectType, subjectId, kind }) => ({ key: `${subjectType}-${subjectId}-${kind}` })),
    ),
    sumUp(
      "attestations_by_attester",
      attestations.map(({ attester, revoked }) => ({ key: attester, marked: Number(revoked) })),
    ),
  ];
  return { total: total.flat() };
}
