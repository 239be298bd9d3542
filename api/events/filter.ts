import type { ContractName } from "../../config/contracts";
import { signalSubjects } from "../../ponder.schema";
import { protocolEvents, type SubjectKind, subjectKinds } from "./protocol-events";

/** The decoded arguments of an event, as the event log stores them. */
type Arguments = Readonly<Record<string, string | number | boolean>>;

/** A subject of an event, such as `intent_id 7`. */
type Subject = `${SubjectKind} ${string}`;

/** Trust signals about these subject types match the filter of this kind. */
const kindsOfTyped: Partial<Record<string, SubjectKind>> = { merchant: "merchant_id", agent: "agent" };

/**
 * The subjects of an event, from its arguments alone.
 *
 * @example
 * subjectsOf("SolverBidSelected", { intentId: "7", bidId: "1", solver: "0xab…" }) // ["intent_id 7", "account 0xab…"]
 */
export function subjectsOf(event: string, args: Arguments): Subject[] {
  const definition = protocolEvents.get(event);
  const subjects = (definition?.subjects ?? []).flatMap(({ name, kinds }) =>
    kinds.map((kind): Subject => `${kind} ${args[name]}`),
  );
  const kind = definition?.hasTypedSubject ? kindsOfTyped[signalSubjects[Number(args.subjectType)] ?? ""] : undefined;
  return kind ? [...subjects, `${kind} ${args.subjectId}`] : subjects;
}

/** Selects events. An absent field matches every event. */
export type Filter = { name?: string; contract?: ContractName; fromBlock?: bigint } & {
  [Name in SubjectKind]?: string;
};

/** The fields of an event that filters match. */
export type FilterFields = { event: string; contract: string; block: bigint; subjects: readonly string[] };

/** Whether an event matches every field of the filter. */
export const matches = (filter: Filter, { event, contract, block, subjects }: FilterFields): boolean =>
  (filter.name === undefined || filter.name === event) &&
  (filter.contract === undefined || filter.contract === contract) &&
  (filter.fromBlock === undefined || block >= filter.fromBlock) &&
  subjectKinds.every((kind) => filter[kind] === undefined || subjects.includes(`${kind} ${filter[kind]}`));

/** The names of the events that a filter can match, to narrow the database query. All names for an empty filter. */
export const candidateNames = (filter: Filter): string[] =>
  [...protocolEvents].flatMap(([name, definition]) => {
    const hasSubject = (kind: SubjectKind) =>
      definition.subjects.some(({ kinds }) => kinds.includes(kind)) ||
      (definition.hasTypedSubject && Object.values(kindsOfTyped).includes(kind));
    const isCandidate =
      (filter.name === undefined || filter.name === name) &&
      (filter.contract === undefined || filter.contract === definition.contract) &&
      subjectKinds.every((kind) => filter[kind] === undefined || hasSubject(kind));
    return isCandidate ? [name] : [];
  });
