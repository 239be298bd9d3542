import { type Abi, type AbiItem, type AbiParameter, getAbiItem, parseAbi, toFunctionSelector } from "viem";
import { describe, expect, it } from "vitest";
import { commerceRegistryAbi, policyAccountAbi } from "../../abis/index";
import { contractNames, protocolAbis } from "../../config/contracts";
import { protocolSignatures, publicAccountSignatures } from "../fixtures/protocol-signatures";

type Parameter = AbiParameter & { indexed?: boolean; components?: readonly Parameter[] };

/** Errors and an event of OpenZeppelin, which the compiler adds to the ABIs of contracts that use it. */
const ofOpenZeppelin = new Set([
  "error ECDSAInvalidSignature()",
  "error ECDSAInvalidSignatureLength(uint256 length)",
  "error ECDSAInvalidSignatureS(bytes32 s)",
  "error FailedCall()",
  "error InsufficientBalance(uint256 balance, uint256 needed)",
  "error InvalidShortString()",
  "error ReentrancyGuardReentrantCall()",
  "error SafeERC20FailedOperation(address token)",
  "error StringTooLong(string str)",
  // ERC-5267. A contract with a fixed domain never emits it.
  "event EIP712DomainChanged()",
]);

/** A parameter's type and name, with struct members, without fields that the compiler adds. */
const plain = ({ name, type, indexed, components }: Parameter): string =>
  [components ? `(${components.map(plain).join(", ")})${type.replace("tuple", "")}` : type, indexed && "indexed", name]
    .filter(Boolean)
    .join(" ");

/** Types only, which identify an item together with its name. */
const typeOf = ({ type, components }: Parameter): string =>
  components ? `(${components.map(typeOf).join(",")})${type.replace("tuple", "")}` : type;

const inputsOf = (item: AbiItem): readonly Parameter[] => ("inputs" in item ? (item.inputs ?? []) : []);
const outputsOf = (item: AbiItem): readonly Parameter[] => ("outputs" in item ? item.outputs : []);

/** The kind, name and input types of an item. No other item of the ABI has the same. */
const idOf = (item: AbiItem): string =>
  `${item.type} ${"name" in item ? item.name : ""}(${inputsOf(item).map(typeOf).join(",")})`;

/** Our parameters, without the names that the specification does not give. */
const namedAs = (ours: readonly Parameter[], specified: readonly Parameter[]): Parameter[] =>
  ours.map((parameter, place) => (specified[place]?.name ? parameter : { ...parameter, name: undefined }));

/** An item as one comparable line: kind, name, inputs, mutability and outputs. */
function lineOf(item: AbiItem, specified: AbiItem = item): string {
  const inputs = namedAs(inputsOf(item), inputsOf(specified)).map(plain).join(", ");
  const line = `${item.type}${"name" in item ? ` ${item.name}` : ""}(${inputs})`;
  if (item.type !== "function") return "stateMutability" in item ? `${line} ${item.stateMutability}` : line;
  return `${line} ${item.stateMutability} returns (${outputsOf(item).map(plain).join(", ")})`;
}

const specifiedAbi = (signatures: readonly string[]) => parseAbi(signatures) as Abi;

/** The specified items, and ours with the same name and input types. */
const pairs = (abi: Abi, specified: Abi) => {
  const ours = new Map(abi.map((item) => [idOf(item), item]));
  return specified.map((item) => ({ specified: item, ours: ours.get(idOf(item)) }));
};

/** A constructor's arguments have no names on chain. */
const isNamed = ({ type }: AbiItem) => type !== "constructor";

const abis = { ...protocolAbis, PolicyAccount: policyAccountAbi };

describe.each([...contractNames, "PolicyAccount"] as const)("the ABI of %s", (name) => {
  const abi: Abi = abis[name];
  const specified = specifiedAbi(protocolSignatures[name]);

  it("has every function, event and error of the specification, with the same inputs, outputs and mutability", () => {
    const compared = pairs(abi, specified);
    expect(compared.filter(({ ours }) => !ours).map((pair) => lineOf(pair.specified))).toEqual([]);
    const named = compared.filter((pair) => isNamed(pair.specified));
    expect(named.map((pair) => pair.ours && lineOf(pair.ours, pair.specified))).toEqual(
      named.map((pair) => lineOf(pair.specified)),
    );
  });

  it("has functions of its own only under names that the specification does not have", () => {
    const ids = new Set(specified.map(idOf));
    const names = new Set(specified.flatMap((item) => (item.type === "function" ? [item.name] : [])));
    const own = abi.flatMap((item) => (item.type === "function" && !ids.has(idOf(item)) ? [item.name] : []));
    expect(own.filter((one) => names.has(one))).toEqual([]);
  });
});

describe.each(contractNames)("the ABI of %s", (name) => {
  it.each(["event", "error"])("has no other %s than the specification's", (type) => {
    const ids = new Set(specifiedAbi(protocolSignatures[name]).map(idOf));
    const own = (protocolAbis[name] as Abi).filter((item) => item.type === type && !ids.has(idOf(item)));
    expect(own.map((item) => lineOf(item)).filter((line) => !ofOpenZeppelin.has(line))).toEqual([]);
  });
});

it("what our PolicyAccount shares with the accounts of the public deployment is the same", () => {
  const shared = pairs(policyAccountAbi, specifiedAbi(publicAccountSignatures)).filter(({ ours }) => ours);
  expect(shared.map(({ ours, specified }) => ours && lineOf(ours, specified))).toEqual(
    shared.map(({ specified }) => lineOf(specified)),
  );
});

it("computeQuoteHash with the fields as arguments has the selector 0x70445da0", () => {
  const args = [1n, 1n, "0x", "0x", "0x", 1n, 0, 1n, 1n, "0x", "0x", "0x"] as never;
  expect(toFunctionSelector(getAbiItem({ abi: commerceRegistryAbi, name: "computeQuoteHash", args }))).toBe(
    "0x70445da0",
  );
});
