import type { AbiEvent } from "viem";
import { type ContractName, contractNames, protocolAbis } from "../../config/contracts";

/** OpenZeppelin's event about the signing domain. It is part of the ABI, but not a protocol event, and is not indexed. */
const UNINDEXED = "EIP712DomainChanged";

/** The ABI of a protocol event. */
export type ProtocolEvent = Exclude<
  { [Name in ContractName]: Extract<(typeof protocolAbis)[Name][number], { type: "event" }> }[ContractName],
  { name: typeof UNINDEXED }
>;

/** The name of a protocol event. */
export type EventName = ProtocolEvent["name"];

/** The subjects that a filter can name, besides event name and contract. */
export const subjectKinds = ["intent_id", "agent", "merchant_id", "account"] as const;
export type SubjectKind = (typeof subjectKinds)[number];

/** What the rest of the code needs to know about an event. All of it follows from the names and types of its arguments. */
type Definition = {
  contract: ContractName;
  /** The arguments that filters match. */
  subjects: { name: string; kinds: SubjectKind[] }[];
  /** Whether its subject takes two arguments: `subjectType` and `subjectId`. */
  hasTypedSubject: boolean;
  /** The tokens of its amounts: of an argument `token`, of the intent that it is about, or the native coin. */
  amounts: "none" | "token" | "intent" | "native";
};

/** Address arguments that are not accounts. */
const notAccounts = new Set(["token", "target"]);

/** The kinds of subject that an argument is. */
function kindsOf(event: string, { name = "", type }: AbiEvent["inputs"][number]): SubjectKind[] {
  if (name === "intentId") return ["intent_id"];
  if (name === "merchantId") return ["merchant_id"];
  if (name === "agentId") return ["agent"];
  if (type !== "address" || notAccounts.has(name)) return [];
  return name === "agent" || (event === "AgentRegistered" && name === "owner") ? ["agent", "account"] : ["account"];
}

function amountsOf(names: ReadonlySet<string | undefined>): Definition["amounts"] {
  if (names.has("token")) return "token";
  if (names.has("intentId") && names.has("amountIn")) return "intent";
  return names.has("bond") ? "native" : "none";
}

function definitionOf(contract: ContractName, { name, inputs }: AbiEvent): Definition {
  const names = new Set(inputs.map((input) => input.name));
  return {
    contract,
    subjects: inputs
      .map((input) => ({ name: input.name ?? "", kinds: kindsOf(name, input) }))
      .filter(({ kinds }) => kinds.length > 0),
    hasTypedSubject: names.has("subjectType") && names.has("subjectId"),
    amounts: amountsOf(names),
  };
}

/** Every protocol event, in the order of the contracts. */
export const protocolEvents: ReadonlyMap<string, Definition> = new Map(
  contractNames.flatMap((contract) => {
    const abi: readonly { type: string; name?: string }[] = protocolAbis[contract];
    return abi
      .filter((item): item is AbiEvent => item.type === "event" && item.name !== UNINDEXED)
      .map((event): [string, Definition] => [event.name, definitionOf(contract, event)]);
  }),
);

/** The names of all events, in the order of the contracts. */
export const eventNames = [...protocolEvents.keys()] as EventName[];
