import { type Abi, type AbiParameter, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { contractNames, protocolAbis } from "../../config/contracts";
import { protocolSignatures } from "../fixtures/protocol-signatures";

type Parameter = AbiParameter & { indexed?: boolean; components?: readonly Parameter[] };

/** A parameter's name and type, with struct members, without fields that the compiler adds. */
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

/** OpenZeppelin's EIP712 declares this ERC-5267 event. A contract with a fixed domain never emits it. */
const isEvent = (line: string) => line.startsWith("event ") && line !== "event EIP712DomainChanged()";

describe.each(contractNames)("the ABI of %s", (name) => {
  const ours = lines(protocolAbis[name]);
  const specified = lines(parseAbi(protocolSignatures[name] as readonly string[]) as Abi);

  it("has every function of the specification, with the same signature", () => {
    expect(ours).toEqual(expect.arrayContaining(specified));
  });

  it("has exactly the events of the specification", () => {
    expect(ours.filter(isEvent).sort()).toEqual(specified.filter(isEvent).sort());
  });
});
