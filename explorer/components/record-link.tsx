import { links } from "../links";

const titles = {
  intent: "Intent",
  agent: "Agent",
  solver: "Solver",
  attestor: "Attestor",
  merchant: "Merchant",
  service: "Service",
  facilitator: "Facilitator",
  receipt: "Receipt",
  dispute: "Dispute",
  attestation: "Attestation",
} as const;

/** Records with ids that count from 1. */
export type RecordKind = keyof typeof titles;

/** A record by its id, such as "Merchant #1". */
export const recordTitle = (kind: RecordKind, id: string): string => `${titles[kind]} #${id}`;

type Props = {
  kind: RecordKind;
  id: string;
  /** The name that its owner gave it. */
  name?: string | null | undefined;
};

/** A link to a record, by its name if it has one. */
export const RecordLink = ({ kind, id, name }: Props) => (
  <a href={links[kind](id)} title={name ? recordTitle(kind, id) : undefined}>
    {name ? <bdi>{name}</bdi> : recordTitle(kind, id)}
  </a>
);
