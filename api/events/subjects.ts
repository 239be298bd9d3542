import type { AbiEvent } from "viem";
import { type ContractName, contractNames, protocolAbis } from "../../config/contracts";
import { signalSubjects } from "../../ponder.schema";

/** An argument of an event as the event log keeps it. */
export type Arguments = Readonly<Record<string, string | number | boolean>>;

/** What listeners can follow, besides events of a name or a contract. */
const kinds = ["intent_id", "agent", "merchant_id", "account"] as const;
type Kind = (typeof kinds)[number];

/** Something an event is about, such as `intent_id 7`. */
type Subject = `${Kind} ${string}`;

/** Addresses that are things and not somebody: everyone else that an event names takes part in it. */
const things = new Set(["token", "target"]);

/** What a trust signal is about, where it is something that can be followed. */
const signalled: Partial<Record<string, Kind>> = { merchant: "merchant_id", agent: "agent" };

/** As what an argument is followed. It says nothing of the subject of a trust signal, which two arguments name together. */
function kindsOf(event: string, { name = "", type }: AbiEvent["inputs"][number]): Kind[] {
  if (name === "intentId") return ["intent_id"];
  if (name === "merchantId") return ["merchant_id"];
  if (name === "agentId") return ["agent"];
  if (type !== "address" || things.has(name)) return [];
  return name === "agent" || (event === "AgentRegistered" && name === "owner") ? ["agent", "account"] : ["account"];
}

type Definition = { contract: ContractName; arguments: { name: string; kinds: Kind[] }[] };

/** OpenZeppelin's event about the signing domain says nothing of the protocol, and is not indexed. */
const unindexed = "EIP712DomainChanged";

/** Every event of the protocol, with the arguments that it can be followed by. */
const definitions = new Map<string, Definition>(
  contractNames.flatMap((contract) => {
    const abi: readonly { type: string; name?: string }[] = protocolAbis[contract];
    return abi
      .filter((item): item is AbiEvent => item.type === "event" && item.name !== unindexed)
      .map((event): [string, Definition] => {
        const followed = event.inputs.map((input) => ({ name: input.name ?? "", kinds: kindsOf(event.name, input) }));
        return [event.name, { contract, arguments: followed.filter((argument) => argument.kinds.length > 0) }];
      });
  }),
);

/** The names of all events, in the order of the contracts. */
export const eventNames = [...definitions.keys()];

const TRUST_SIGNAL = "TrustSignalRecorded";

/**
 * What an event is about, by its own arguments. This is the one place that says so.
 *
 * @example
 * subjectsOf("SolverBidSelected", { intentId: "7", bidId: "1", solver: "0xab…" }) // ["intent_id 7", "account 0xab…"]
 */
export function subjectsOf(event: string, args: Arguments): Subject[] {
  const subjects = (definitions.get(event)?.arguments ?? []).flatMap(({ name, kinds }) =>
    kinds.map((kind): Subject => `${kind} ${args[name]}`),
  );
  const kind = event === TRUST_SIGNAL ? signalled[signalSubjects[Number(args.subjectType)] ?? ""] : undefined;
  return kind ? [...subjects, `${kind} ${args.subjectId}`] : subjects;
}

/** What a listener wants of all events; what is absent leaves nothing out. */
export type Filter = { name?: string; contract?: ContractName; fromBlock?: bigint } & { [Name in Kind]?: string };

/** As much of an event as decides who wants it. */
export type Followed = { event: string; contract: string; block: bigint; subjects: readonly string[] };

/** Whether a listener wants an event: it must fit every part of the filter. */
export const matches = (filter: Filter, { event, contract, block, subjects }: Followed): boolean =>
  (filter.name === undefined || filter.name === event) &&
  (filter.contract === undefined || filter.contract === contract) &&
  (filter.fromBlock === undefined || block >= filter.fromBlock) &&
  kinds.every((kind) => filter[kind] === undefined || subjects.includes(`${kind} ${filter[kind]}`));

/** The events that a filter can match by their names, so that the database need not give others; all of them for an empty filter. */
export const candidateNames = (filter: Filter): string[] =>
  [...definitions].flatMap(([name, definition]) => {
    const canBeAbout = (kind: Kind) =>
      definition.arguments.some((argument) => argument.kinds.includes(kind)) ||
      (name === TRUST_SIGNAL && Object.values(signalled).includes(kind));
    const fits =
      (filter.name === undefined || filter.name === name) &&
      (filter.contract === undefined || filter.contract === definition.contract) &&
      kinds.every((kind) => filter[kind] === undefined || canBeAbout(kind));
    return fits ? [name] : [];
  });
