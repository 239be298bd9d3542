import type {
  Agent,
  Attestation,
  Attestor,
  Dispute,
  Intent,
  Merchant,
  MerchantReputation,
  Quote,
  Receipt,
  Service,
  Settlement,
  Solver,
} from "../../client/src/api";
import { formatTime } from "../../common/format";
import { percentOf, shortHex } from "../text/format";
import { counted, type Words } from "./words";

// One or two sentences about each record, which search engines and messengers show beside a link to its page.

const time = (seconds: string) => formatTime(BigInt(seconds));

type Described = { metadata: { description: string | null } | null };

/** Sentences, with what the record's owner says about it at the end. */
const about = ({ metadata }: Described, ...sentences: string[]) =>
  [...sentences, ...(metadata?.description ? [metadata.description] : [])].join(" ");

/** What an intent swaps for what, such as "1,000 tUSD for at least 0.3 tWETH". */
export function tradeOf({ fill, ...intent }: Intent, { amount }: Words): string {
  const bought = amount(fill?.amount_out ?? intent.amount_out_min, intent.output_token);
  const sold = amount(fill?.amount_in ?? intent.amount_in_max, intent.input_token);
  return `${sold} for ${fill ? "" : "at least "}${bought}`;
}

export function describeIntent(intent: Intent, bids: number, words: Words): string {
  const { owner, fill, status, deadline } = intent;
  const trade = `${words.account(owner)} ${fill ? "swapped" : "offers"} ${tradeOf(intent, words)}.`;
  if (fill) return `${trade} Filled by ${words.account(fill.solver)} on ${time(fill.filled_at)}.`;
  if (status === "CANCELLED") return `${trade} Cancelled by its owner.`;
  if (status === "EXPIRED") return `${trade} Expired on ${time(deadline)}.`;
  return `${trade} Open until ${time(deadline)}, with ${counted(bids, "bid")} so far.`;
}

export function describeMerchant(
  merchant: Pick<Merchant, "active"> & Described,
  reputation: MerchantReputation | null,
): string {
  const kind = merchant.active ? "A merchant" : "An inactive merchant";
  if (!reputation) return about(merchant, `${kind}.`);
  const { commerce, disputes } = reputation;
  return about(
    merchant,
    `${kind} with ${counted(commerce.receipts, "receipt")}, ${commerce.fulfilled_receipts} of them fulfilled, and ${counted(disputes.disputes, "dispute")}.`,
  );
}

export const describeService = (service: Pick<Service, "active" | "merchant_id"> & Described, words: Words): string =>
  about(
    service,
    `${service.active ? "A" : "An inactive"} service of ${words.record("merchant", service.merchant_id)}.`,
  );

export function describeSolver(
  solver: Pick<Solver, "active" | "fills" | "successful_fills" | "failed_fills"> & Described,
): string {
  const { successful_fills, failed_fills } = solver;
  const rate = percentOf(successful_fills, String(BigInt(successful_fills) + BigInt(failed_fills)));
  const record = `with ${counted(solver.fills, "fill")}${rate ? ` and a fill rate of ${rate}` : ""}`;
  return about(solver, `${solver.active ? "A" : "An inactive"} solver ${record}.`);
}

export const describeAgent = (agent: Pick<Agent, "owner" | "revoked"> & Described): string =>
  about(agent, `${agent.revoked ? "A revoked" : "A registered"} agent of the account ${shortHex(agent.owner)}.`);

export const describeAttestor = (
  attestor: Pick<Attestor, "active" | "attestations" | "revoked_attestations"> & Described,
): string =>
  about(
    attestor,
    `${attestor.active ? "An" : "An inactive"} attestor with ${counted(attestor.attestations, "attestation")}, ${attestor.revoked_attestations} of them revoked.`,
  );

export const describeFacilitator = (facilitator: { facilitator: string; active: boolean } & Described): string =>
  about(
    facilitator,
    `${facilitator.active ? "A" : "An inactive"} facilitator of payments, ${shortHex(facilitator.facilitator)}.`,
  );

export const describeQuote = (quote: Quote, { amount, record, account }: Words): string =>
  `${record("merchant", quote.merchant_id)} asks ${account(quote.agent)} for ${amount(quote.amount, quote.token)}. ${quote.settled ? "It is paid" : `Not paid; valid until ${time(quote.expires_at)}`}.`;

export const describeReceipt = (receipt: Receipt, { amount, record, account }: Words): string =>
  `${account(receipt.agent)} paid ${amount(receipt.amount, receipt.token)} to ${record("merchant", receipt.merchant_id)} for ${record("service", receipt.service_numeric_id)} on ${time(receipt.settled_at)}. ${receipt.fulfillment_hash === null ? "Not fulfilled yet" : "Fulfilled"}.`;

export const describeSettlement = (settlement: Settlement, { amount, account }: Words): string =>
  `${account(settlement.payer)} paid ${amount(settlement.gross_amount, settlement.token)} on chain on ${time(settlement.executed_at)}.`;

export const describeDispute = (dispute: Dispute, { account }: Words): string =>
  `${account(dispute.opener)} disputes receipt #${dispute.receipt_id}. ${{ OPEN: "Open", RESOLVED: "Upheld", REJECTED: "Rejected" }[dispute.status]}.`;

export const describeAttestation = (attestation: Attestation, schema: string | undefined, { account }: Words): string =>
  `${attestation.revoked ? "A revoked" : "An"} attestation by ${account(attestation.attester)} under the schema ${schema ?? shortHex(attestation.schema_hash)}, on ${time(attestation.timestamp)}.`;
