import { type Abi, type AbiParameter, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { contractNames, protocolAbis } from "../../config/contracts";
import { protocolSignatures } from "../fixtures/protocol-signatures";

type Parameter = AbiParameter & { indexed?: boolean; components?: readonly Parameter[] };

/** A parameter with its name and type, whatever its place in a struct, and nothing the compiler adds. */
const plain = ({ name, type, indexed, components }: Parameter): string =>
  [components ? `(${components.map(plain).join(", ")})${type.replace("tuple", "")}` : type, indexed && "indexed", name]
    .filter(Boolean)
    .join(" ");

/** Every function and event as one comparable line. */
const lines = (abi: Abi) =>
  abi.flatMap((item) => {
    const inputs = "inputs" in item ? (item.inputs ?? []).map(plain).join(", ") : "";
    if (item.type === "event") return [`event ${item.name}(${inputs})`];
    if (item.type !== "function") return [];
    return [`function ${item.name}(${inputs}) ${item.stateMutability} returns (${item.outputs.map(plain).join(", ")})`];
  });

/** The ERC-5267 event comes with OpenZeppelin's EIP712; a contract whose domain is fixed never emits it. */
const isEvent = (line: string) => line.startsWith("event ") && line !== "event EIP712DomainChanged()";

describe.each(contractNames)("the ABI of %s", (name) => {
  const ours = lines(protocolAbis[name]);
  const specified = lines(parseAbi(protocolSignatures[name] as readonly string[]) as Abi);

  it("has every function of the specification, to the letter", () => {
    expect(ours).toEqual(expect.arrayContaining(specified));
  });

  it("has the events of the specification and no other", () => {
    expect(ours.filter(isEvent).sort()).toEqual(specified.filter(isEvent).sort());
  });
});
