import { type Address, pad } from "viem";
import type { TrustKind } from "./participant";

/** A record whose evidence is linked. */
type Subject = {
  kind: TrustKind;
  id: string;
  address: Address;
  /** What its disputes are listed by: the address that opened them, or the merchant of their receipts. */
  disputesOf: string | null;
};

const collections: Readonly<Record<TrustKind, string>> = {
  merchant: "merchants",
  service: "services",
  agent: "agents",
  solver: "solvers",
  facilitator: "facilitators",
};

/** The path of a record. */
export const recordPath = (kind: TrustKind, id: string) => `/${collections[kind]}/${id}`;

const paymentsPath = ({ kind, id, address }: Subject) =>
  ({
    merchant: `/receipts?merchant_id=${id}`,
    service: `/receipts?service_id=${id}`,
    agent: `/receipts?agent=${address}`,
    solver: `/fills?solver=${address}`,
    facilitator: `/receipts?facilitator=${address}`,
  })[kind];

/** The paths of the records that the figures of a record are computed from. */
export function evidenceOf(subject: Subject) {
  const { kind, id, address, disputesOf } = subject;
  const record = recordPath(kind, id);
  return {
    record,
    payments: paymentsPath(subject),
    disputes: disputesOf === null ? record : `/disputes?${kind === "agent" ? "opener" : "merchant_id"}=${disputesOf}`,
    attestations: `/attestations?subject=${pad(address, { size: 32 })}&revoked=false`,
  };
}

/** The path of a search for records with a name. */
export const searchFor = (kind: TrustKind, name: string) => `/search?type=${kind}&q=${encodeURIComponent(name)}`;
