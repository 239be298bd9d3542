import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { links } from "../links";
import { type Names, nameKey } from "../names";

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

/** The names of the records that a page mentions. */
export const NamesContext = createContext<Names>({});

/** A record by its id, such as "Merchant #1". */
export const recordTitle = (kind: RecordKind, id: string): string => `${titles[kind]} #${id}`;

/** The name of the record that an account acts for, if it is known. */
export function useNameOfAccount(address: string): string | undefined {
  const names = useContext(NamesContext);
  return names[nameKey("account", address)];
}

/** The digits of an id that stays on the line of its kind. */
const SHORT_ID = 9;

type Props = {
  kind: RecordKind;
  id: string;
  /** The name if the metadata has none. */
  name?: string | null | undefined;
  /** What names the kind before a name, as in "merchant Skyline Data #1". */
  before?: string;
};

/** A link to a record, by its name if it has one. The id is beside it: several records can have the same name. */
export function RecordLink({ kind, id, name, before }: Props) {
  const names = useContext(NamesContext);
  const shown = names[nameKey(kind, id)] ?? name;
  if (!shown)
    return (
      <a class={id.length > SHORT_ID ? undefined : "id"} href={links[kind](id)}>
        {before === undefined ? recordTitle(kind, id) : `${before} #${id}`}
      </a>
    );
  return (
    <>
      {before !== undefined && `${before} `}
      <a class="record" href={links[kind](id)} title={recordTitle(kind, id)}>
        <bdi>{shown}</bdi>
      </a>{" "}
      <span class="unit">#{id}</span>
    </>
  );
}
