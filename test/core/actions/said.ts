import {
  type AbiFunction,
  type Address,
  decodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  zeroAddress,
  zeroHash,
} from "viem";
import { formatAmount } from "../../../common/format";
import { allAbis } from "./perform";

/** What a summary says for true and for false, by function and argument. */
const flags: Readonly<Record<string, readonly [isTrue: RegExp, isFalse: RegExp]>> = {
  "updateAttestor.active": [/and it (stays|becomes) active\./, /and it (stays|becomes) inactive\./],
  "updateSolver.active": [/and it (stays|becomes) active\./, /and it (stays|becomes) inactive\./],
  "updateMerchant.active": [/and it (stays|becomes) active\./, /and it (stays|becomes) inactive\./],
  "updateService.active": [/and it (stays|becomes) active\./, /and it (stays|becomes) inactive\./],
  "updateFacilitator.active": [/and it (stays|becomes) active\./, /and it (stays|becomes) inactive\./],
  "setTargetAllowed.allowed": [/^Allow /, /^Forbid /],
  "setFunctionAllowed.allowed": [/^Allow /, /^Forbid /],
  "setPaymentPolicy.allowed": [/^Let /, /^Forbid /],
  "setUseFunctionAllowlist.enabled": [/call only functions that are allowed/, /call every function/],
  "setAccountFrozen.frozen": [/^Freeze /, /^Unfreeze /],
};

/** What a summary says for the members of an enum. */
const enums: Readonly<Record<string, readonly string[]>> = {
  "commitQuote.commitment.paymentRail": ["transfer", "swap", "facilitator", "x402"].map((rail) => `paid by ${rail} `),
  "recordTrustSignal.subjectType": ["merchant", "service", "facilitator", "agent"].map((kind) => ` about ${kind} `),
  "recordTrustSignal.kind": ["verification", "risk", "compliance", "fulfillment"].map((kind) => `a ${kind} signal`),
  "resolveDispute.status": ["", "as resolved,", "as rejected,"],
  "submitIntent.intent.intentType": ["a swap intent"],
};

/** What a summary says for zero or no bytes, by the argument or its name. */
const nothing: Readonly<Record<string, string>> = {
  pubkey: "no public key",
  capabilitiesHash: "no capabilities hash",
  capabilityHash: "no capability hash",
  schemasHash: "no schemas hash",
  metadataHash: "no metadata hash",
  executionHash: "no execution hash",
  executionData: "no execution data",
  resultHash: "no result hash",
  traceHash: "no trace hash",
  attestationId: "without an attestation",
  fee: "no fee",
  slippageBps: "no slippage",
  "submitAttestation.dataHash": "no data hash",
  dataHash: "any execution data",
  requiredAttestationSubject: "any subject",
  requiredAttestationSchema: "any schema",
  facilitator: "without a facilitator",
  x402PayloadHash: "no x402 payload hash",
};

/** A time as JavaScript writes it, such as "4 Nov 2026 19:25:25". */
const timeOf = (seconds: bigint) =>
  seconds < 253_402_300_800n
    ? [new Date(Number(seconds) * 1_000).toUTCString().replace(/^\w+, 0?(.*) GMT$/, "$1 UTC")]
    : [];

/** Whether a text is in a summary, and not as a part of a longer number or word. */
const hasWord = (summary: string, word: string) => {
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w.,])${escaped}(?!\\w|[.,]\\d)`).test(summary);
};

/** The texts that a summary quotes. */
const quotedIn = (summary: string): string[] =>
  (summary.match(/"(?:[^"\\]|\\.)*"/g) ?? []).map((text) => JSON.parse(text));

type Leaf = { path: string; name: string; value: unknown };

/** The values of arguments, at any depth, by their names. */
function leavesOf(path: string, name: string, value: unknown): Leaf[] {
  if (typeof value !== "object" || value === null) return [{ path, name, value }];
  return Object.entries(value).flatMap(([member, inner]) =>
    leavesOf(Array.isArray(value) ? path : `${path}.${member}`, Array.isArray(value) ? name : member, inner),
  );
}

function isSaid(summary: string, { path, name, value }: Leaf, dollar: Address): boolean {
  if (typeof value === "boolean") return flags[path]?.[value ? 0 : 1].test(summary) ?? false;
  const members = enums[path];
  if (members) return summary.includes(members[Number(value)] || "nothing");
  if (path.endsWith("lines.kind")) return hasWord(summary, `kind ${value}`);
  const isNothing = value === zeroAddress || value === zeroHash || value === "0x" || value === 0n || value === 0;
  const absent = nothing[path] ?? nothing[name];
  if (isNothing && absent) return summary.includes(absent) || summary.includes("no required attestation");
  if (typeof value !== "string") {
    const number = BigInt(value as bigint);
    if (number === maxUint256 && hasWord(summary, "any amount")) return true;
    const amounts = [6, 18].map((decimals) => formatAmount(number, decimals));
    return [String(number), ...amounts, ...timeOf(number)].some((text) => hasWord(summary, text));
  }
  if (!value.startsWith("0x")) return quotedIn(summary).includes(value);
  const hex = value.toLowerCase();
  return hasWord(summary, hex === dollar ? "tUSD" : hex);
}

/**
 * The values of a transaction that the summary of its action does not say. The calldata is decoded from nothing but itself.
 * Only `to` of a contract of the protocol is not said.
 */
export function unsaidIn(
  summary: string,
  { to, data, value }: { to: string; data: string; value: string },
  dollar: Address,
): Leaf[] {
  const coin: Leaf = { path: "value", name: "value", value: BigInt(value) };
  const coins = value === "0" ? [] : [coin];
  if (data === "0x")
    return [...coins, { path: "to", name: "to", value: to }].filter((leaf) => !isSaid(summary, leaf, dollar));
  const isToken = ["0x095ea7b3", "0xa9059cbb"].includes(data.slice(0, 10));
  const abi = isToken ? erc20Abi : allAbis;
  const { functionName, args = [] } = decodeFunctionData({ abi, data: data as Hex });
  const item = abi.find((one): one is AbiFunction => one.type === "function" && one.name === functionName);
  const leaves = (args as readonly unknown[]).flatMap((argument, index) => {
    const name = item?.inputs[index]?.name ?? "";
    return leavesOf(`${functionName}.${name}`, name, argument);
  });
  const target: Leaf[] = isToken ? [{ path: "to", name: "to", value: to }] : [];
  return [...coins, ...target, ...leaves].filter((leaf) => !isSaid(summary, leaf, dollar));
}
