import type { RecordName } from "../client/src/api";
import { ifAvailable, type OnFailure, type Reads } from "./reads";

/** The names of records that owners published, by `<kind>-<id>`. */
export type Names = Readonly<Record<string, string>>;

/** Records that one page names, as many as one request of the API. Others are shown by their ids. */
const MAX_RECORDS = 200;

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

export const nameKey = (kind: string, id: string): string => `${kind}-${id}`;

/** The distinct records in the data of a page, in the order of their appearance. */
export function recordsIn(data: unknown): readonly string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [field, member] of Object.entries(value)) {
      const kind = Object.hasOwn(idFields, field) ? idFields[field] : undefined;
      if (kind && typeof member === "string" && /^\d{1,78}$/.test(member)) found.add(nameKey(kind, member));
      else visit(member);
    }
  };
  visit(data);
  return [...found];
}

/** Reads the names of the first records. Without them a page shows ids. */
export async function readNames(api: Reads, records: readonly string[], onFailure: OnFailure): Promise<Names> {
  if (records.length === 0) return {};
  const found = await ifAvailable(api.search.names.query({ records: records.slice(0, MAX_RECORDS).join() }), onFailure);
  return Object.fromEntries((found?.names ?? []).map(({ type, id, name }) => [nameKey(type, id), name]));
}
