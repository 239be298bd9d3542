import type { AbiEvent, ContractEventName } from "viem";
import { type ContractName, contractNames, protocolAbis } from "../../config/contracts";
import { signalSubjects } from "../../ponder.schema";

/** The decoded arguments of an event, as the event log stores them. */
type Arguments = Readonly<Record<string, string | number | boolean>>;

/** The subjects that a filter can name, besides event name and contract. */
const kinds = ["intent_id", "agent", "merchant_id", "account"] as const;
type Kind = (typeof kinds)[number];

/** A subject of an event, such as `intent_id 7`. */
type Subject = `${Kind} ${string}`;

/** Address arguments that are not accounts. */
const notAccounts = new Set(["token", "target"]);

/** Trust signals about these subject types match the filter of this kind. */
const signalKinds: Partial<Record<string, Kind>> = { merchant: "merchant_id", agent: "agent" };

/** The kinds of subject that an argument is. The subject of a trust signal takes two arguments and is not covered here. */
function kindsOf(event: string, { name = "", type }: AbiEvent["inputs"][number]): Kind[] {
  if (name === "intentId") return ["intent_id"];
  if (name === "merchantId") return ["merchant_id"];
  if (name === "agentId") return ["agent"];
  if (type !== "address" || notAccounts.has(name)) return [];
  return name === "agent" || (event === "AgentRegistered" && name === "owner") ? ["agent", "account"] : ["account"];
}

type Definition = { contract: ContractName; arguments: { name: string; kinds: Kind[] }[] };

/** OpenZeppelin's event about the signing domain. It is not a protocol event and not indexed. */
const unindexed = "EIP712DomainChanged";

/** Every protocol event, with the arguments that filters match. */
const definitions = new Map<string, Definition>(
  contractNames.flatMap((contract) => {
    const abi: readonly { type: string; name?: string }[] = protocolAbis[contract];
    return abi
      .filter((item): item is AbiEvent => item.type === "event" && item.name !== unindexed)
      .map((event): [string, Definition] => {
        const inputs = event.inputs.map((input) => ({ name: input.name ?? "", kinds: kindsOf(event.name, input) }));
        return [event.name, { contract, arguments: inputs.filter((input) => input.kinds.length > 0) }];
      });
  }),
);

/** The name of a protocol event. */
export type EventName = Exclude<ContractEventName<(typeof protocolAbis)[ContractName]>, typeof unindexed>;

/** The names of all events, in the order of the contracts. */
export const eventNames = [...definitions.keys()] as EventName[];

const TRUST_SIGNAL = "TrustSignalRecorded";

/**
 * The subjects of an event, from its arguments alone.
 *
 * @example
 * subjectsOf("SolverBidSelected", { intentId: "7", bidId: "1", solver: "0xab…" }) // ["intent_id 7", "account 0xab…"]
 */
export function subjectsOf(event: string, args: Arguments): Subject[] {
  const subjects = (definitions.get(event)?.arguments ?? []).flatMap(({ name, kinds }) =>
    kinds.map((kind): Subject => `${kind} ${args[name]}`),
  );
  const kind = event === TRUST_SIGNAL ? signalKinds[signalSubjects[Number(args.subjectType)] ?? ""] : undefined;
  return kind ? [...subjects, `${kind} ${args.subjectId}`] : subjects;
}

/** Selects events. An absent field matches every event. */
export type Filter = { name?: string; contract?: ContractName; fromBlock?: bigint } & { [Name in Kind]?: string };

/** The fields of an event that filters match. */
export type FilterFields = { event: string; contract: string; block: bigint; subjects: readonly string[] };

/** Whether an event matches every field of the filter. */
export const matches = (filter: Filter, { event, contract, block, subjects }: FilterFields): boolean =>
  (filter.name === undefined || filter.name === event) &&
  (filter.contract === undefined || filter.contract === contract) &&
  (filter.fromBlock === undefined || block >= filter.fromBlock) &&
  kinds.every((kind) => filter[kind] === undefined || subjects.includes(`${kind} ${filter[kind]}`));

/** The names of the events that a filter can match, to narrow the database query. All names for an empty filter. */
export const candidateNames = (filter: Filter): string[] =>
  [...definitions].flatMap(([name, definition]) => {
    const hasSubject = (kind: Kind) =>
      definition.arguments.some((argument) => argument.kinds.includes(kind)) ||
      (name === TRUST_SIGNAL && Object.values(signalKinds).includes(kind));
    const isCandidate =
      (filter.name === undefined || filter.name === name) &&
      (filter.contract === undefined || filter.contract === definition.contract) &&
      kinds.every((kind) => filter[kind] === undefined || hasSubject(kind));
    return isCandidate ? [name] : [];
  });
