import { IntentTable } from "./components/intents";
import { type RecordList, recordList } from "./components/record-tabs";
import {
  AttestationTable,
  DisputeTable,
  QuoteTable,
  ReceiptTable,
  ServiceTable,
  SettlementTable,
  SignalTable,
} from "./components/tables";
import { BidTable, FillTable } from "./components/trade-tables";
import { links } from "./links";

// The lists of records that pages of other records show in tabs.

/** Filters of the API by which a list belongs to a record. */
type Of<Name extends string> = Partial<Record<Name, string>>;

export const receiptsOf = (of: Of<"agent" | "merchant_id" | "service_id" | "facilitator" | "token">): RecordList =>
  recordList({
    name: "receipts",
    title: "Receipts",
    page: links.list("receipts"),
    of: of,
    read: ({ receipts }, input, chosen) => receipts.list.query({ ...of, ...input, ...chosen }),
    Rows: ReceiptTable,
    empty: "A receipt appears when a payment is recorded on chain.",
    filter: {
      name: "fulfilled",
      label: "Delivery",
      choices: [
        { value: "true", title: "Fulfilled", input: { fulfilled: true } },
        { value: "false", title: "Not fulfilled", input: { fulfilled: false } },
      ],
    },
  });

export const quotesOf = (of: Of<"agent" | "merchant_id">): RecordList =>
  recordList({
    name: "quotes",
    title: "Quotes",
    page: links.list("quotes"),
    of: of,
    read: ({ quotes }, input, chosen) => quotes.list.query({ ...of, ...input, ...chosen }),
    Rows: QuoteTable,
    empty: "A quote appears when a merchant commits a price for an agent.",
    filter: {
      name: "settled",
      label: "State",
      choices: [
        { value: "true", title: "Settled", input: { settled: true } },
        { value: "false", title: "Not settled", input: { settled: false } },
      ],
    },
  });

export const disputesOf = (of: Of<"merchant_id" | "opener" | "receipt_id">): RecordList =>
  recordList({
    name: "disputes",
    title: "Disputes",
    page: links.list("disputes"),
    of: of,
    read: ({ disputes }, input) => disputes.list.query({ ...of, ...input }),
    Rows: DisputeTable,
    empty: "A dispute appears when someone contests a receipt.",
  });

export const servicesOf = (merchantId: string): RecordList =>
  recordList({
    name: "services",
    title: "Services",
    page: links.list("services"),
    of: { merchant_id: merchantId },
    read: ({ services }, input, chosen) => services.list.query({ merchant_id: merchantId, ...input, ...chosen }),
    Rows: ServiceTable,
    empty: "A service appears when the merchant registers what it sells.",
    filter: {
      name: "active",
      label: "State",
      choices: [
        { value: "true", title: "Active", input: { active: true } },
        { value: "false", title: "Inactive", input: { active: false } },
      ],
    },
  });

/** The subject of attestations about an address. */
const subjectOf = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}` as const;

const revoked = {
  name: "revoked",
  label: "State",
  choices: [
    { value: "false", title: "Valid", input: { revoked: false } },
    { value: "true", title: "Revoked", input: { revoked: true } },
  ],
};

/** The attestations about the address of a record. */
export const attestationsAbout = (address: string): RecordList =>
  recordList({
    name: "attestations",
    title: "Attestations",
    page: links.list("attestations"),
    of: { subject: subjectOf(address) },
    read: ({ attestations }, input, chosen) =>
      attestations.list.query({ subject: subjectOf(address), ...input, ...chosen }),
    Rows: AttestationTable,
    empty: "An attestation appears when an attestor states something about this address.",
    filter: revoked,
  });

/** The attestations by an attestor, or under a schema. */
export const attestationsOf = (
  of: Of<"attester" | "schema">,
  { tab, title }: { tab?: string; title: string } = { title: "Attestations" },
): RecordList =>
  recordList({
    name: "attestations",
    ...(tab !== undefined && { tab }),
    title,
    page: links.list("attestations"),
    of: of,
    read: ({ attestations }, input, chosen) => attestations.list.query({ ...of, ...input, ...chosen }),
    Rows: AttestationTable,
    empty: "An attestation appears when it is submitted on chain.",
    filter: revoked,
  });

/** The kinds of subjects of trust signals, with their numbers on chain. */
const subjectTypes = { merchant: 0, service: 1, facilitator: 2, agent: 3 } as const;

export const signalsAbout = (kind: keyof typeof subjectTypes, id: string): RecordList =>
  recordList({
    name: "trust_signals",
    title: "Trust signals",
    page: links.list("trust-signals"),
    of: { subject_type: String(subjectTypes[kind]), subject_id: id },
    read: ({ trustSignals }, input) =>
      trustSignals.list.query({ subject_type: subjectTypes[kind], subject_id: id, ...input }),
    Rows: SignalTable,
    empty: `A trust signal appears when someone reports on this ${kind}.`,
  });

export const fillsOf = (of: Of<"solver" | "token">): RecordList =>
  recordList({
    name: "fills",
    title: "Fills",
    page: links.list("fills"),
    of: of,
    read: ({ fills }, input) => fills.list.query({ ...of, ...input }),
    Rows: FillTable,
    empty: "A fill appears when a solver executes an intent.",
  });

export const bidsOf = (solver: string): RecordList =>
  recordList({
    name: "bids",
    title: "Bids",
    page: links.list("bids"),
    of: { solver },
    read: ({ bids }, input, chosen) => bids.all.query({ solver, ...input, ...chosen }),
    Rows: BidTable,
    empty: "A bid appears when the solver offers to fill an intent on chain.",
    filter: {
      name: "status",
      label: "State",
      choices: [
        { value: "open", title: "Open", input: { status: "open" as const } },
        { value: "selected", title: "Selected", input: { status: "selected" as const } },
        { value: "rejected", title: "Rejected", input: { status: "rejected" as const } },
        { value: "expired", title: "Expired", input: { status: "expired" as const } },
      ],
    },
  });

export const intentsOf = (
  of: Of<"owner" | "input_token" | "output_token">,
  { tab, title }: { tab?: string; title: string } = { title: "Intents" },
): RecordList =>
  recordList({
    name: "intents",
    ...(tab !== undefined && { tab }),
    title,
    page: links.list("intents"),
    of: of,
    read: ({ intents }, input, chosen) => intents.list.query({ ...of, ...input, ...chosen }),
    Rows: IntentTable,
    empty: "An intent appears when the account submits a trade.",
    filter: {
      name: "status",
      label: "State",
      choices: [
        { value: "open", title: "Open", input: { status: "open" as const } },
        { value: "filled", title: "Filled", input: { status: "filled" as const } },
        { value: "cancelled", title: "Cancelled", input: { status: "cancelled" as const } },
        { value: "expired", title: "Expired", input: { status: "expired" as const } },
      ],
    },
  });

export const settlementsOf = (of: Of<"payer" | "quote_hash" | "token">): RecordList =>
  recordList({
    name: "settlements",
    title: "Settlements",
    page: links.list("settlements"),
    of: of,
    read: ({ settlements }, input) => settlements.list.query({ ...of, ...input }),
    Rows: SettlementTable,
    empty: "A settlement appears when a payment is executed on chain.",
  });
