import type { RecordName } from "../client/src/api";
import { ifAvailable, type OnFailure, type Reads } from "./reads";
import { recordsInText } from "./text/mentions";
import { tokenFields } from "./tokens";

/** The names of records that owners published, by `<kind>-<id>`, and those of accounts, by `account-<address>`. */
export type Names = Readonly<Record<string, string>>;

/** Records and accounts that one page names, as many as one request of the API. Others are shown by their ids. */
const MAX_RECORDS = 200;

/** The length of a request in characters. Many proxies reject addresses of more than 8,000, and an account has 50. */
const MAX_CHARACTERS = 6_000;

/** The fields of the API with the id of a record that may have a name, and the same arguments of events. */
const idFields: Readonly<Record<string, RecordName["type"]>> = {
  agent_id: "agent",
  agentId: "agent",
  merchant_id: "merchant",
  merchantId: "merchant",
  service_numeric_id: "service",
  serviceNumericId: "service",
  facilitator_id: "facilitator",
  facilitatorId: "facilitator",
  solver_id: "solver",
  solverId: "solver",
  attestor_id: "attestor",
  attestorId: "attestor",
};

/** The fields of the API with sentences that mention records and accounts. */
const textFields: readonly string[] = ["summary", "description"];

export const nameKey = (kind: string, id: string): string => `${kind}-${id}`;

const isAccount = (text: string) => /^0x[0-9a-f]{40}$/.test(text) && !/^0x0*$/.test(text);

/** The address that an attestation is about: its subject is 12 zero bytes and the address. */
export const addressIn = (subject: string): string | undefined =>
  /^0x0{24}[0-9a-f]{40}$/.test(subject) ? `0x${subject.slice(26)}` : undefined;

/** The distinct records and accounts in the data of a page, in the order of their appearance, records first. */
export function recordsIn(data: unknown): readonly string[] {
  const records = new Set<string>();
  const accounts = new Set<string>();
  const visitText = (field: string, sent: string): void => {
    const text = field === "subject" ? (addressIn(sent) ?? sent) : sent;
    const kind = Object.hasOwn(idFields, field) ? idFields[field] : undefined;
    if (kind) {
      if (/^\d{1,78}$/.test(text)) records.add(nameKey(kind, text));
    } else if (isAccount(text)) {
      if (!tokenFields.includes(field)) accounts.add(nameKey("account", text));
    } else if (textFields.includes(field))
      for (const { kind: mentioned, id } of recordsInText(text)) {
        if (mentioned === "account") accounts.add(nameKey(mentioned, id));
        else if (Object.values(idFields).some((named) => named === mentioned)) records.add(nameKey(mentioned, id));
      }
  };
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [field, member] of Object.entries(value))
      if (typeof member === "string") visitText(field, member);
      else visit(member);
  };
  visit(data);
  return [...records, ...accounts];
}

/** Reads the names of the first records. Without them a page shows ids. */
export async function readNames(api: Reads, records: readonly string[], onFailure: OnFailure): Promise<Names> {
  if (records.length === 0) return {};
  const asked = records.slice(0, MAX_RECORDS).join();
  const end = asked.length > MAX_CHARACTERS ? asked.lastIndexOf(",", MAX_CHARACTERS) : asked.length;
  const found = await ifAvailable(api.search.names.query({ records: asked.slice(0, end) }), onFailure);
  return Object.fromEntries(
    (found?.names ?? []).flatMap(({ type, id, name, account }) => [
      [nameKey(type, id), name],
      ...(account === undefined ? [] : [[nameKey("account", account), name]]),
    ]),
  );
}

/** Reads the names that events mention, besides those that are known. */
export async function namesOfEvents(api: Reads, events: unknown, known: Names, onFailure: OnFailure): Promise<Names> {
  const unknown = recordsIn(events).filter((record) => !Object.hasOwn(known, record));
  return readNames(api, unknown, onFailure);
}
