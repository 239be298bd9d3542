import {
  type Address,
  concat,
  decodeFunctionData,
  encodeAbiParameters,
  type Hex,
  keccak256,
  parseAbiParameters,
  toFunctionSelector,
} from "viem";
import { settlementAdapterAbi } from "../../abis/index";

/** One payment of a settlement, as it is stored and served. */
export type SettlementLine = {
  kind: number;
  recipient: Address;
  token: Address;
  /** In decimal digits. */
  amount: string;
  metadata_hash: Hex;
};

type Call = { to: Address | null; input: Hex };

const [executeSettlement] = settlementAdapterAbi.filter(
  (item) => item.type === "function" && item.name === "executeSettlement",
);
const selector = executeSettlement?.type === "function" ? toFunctionSelector(executeSettlement) : "0x";

const lineTypes = parseAbiParameters("uint8, address, address, uint256, bytes32");
const executionTypes = parseAbiParameters(
  "uint256, address, bytes32, bytes32, address, address, uint256, uint256, bytes32",
);

const decode = (input: Hex) => {
  const { functionName, args } = decodeFunctionData({ abi: settlementAdapterAbi, data: input });
  return functionName === "executeSettlement" ? args[0] : null;
};

type Instruction = NonNullable<ReturnType<typeof decode>>;

const decoded = (input: Hex): Instruction | null => {
  try {
    return decode(input);
  } catch {
    return null;
  }
};

/** The hash that the adapter computes for an executed instruction. */
export function executionHashOf(chainId: number, adapter: Address, instruction: Instruction): Hex {
  const hashes = instruction.lines.map(({ kind, recipient, token, amount, metadataHash }) =>
    keccak256(encodeAbiParameters(lineTypes, [kind, recipient, token, amount, metadataHash])),
  );
  const { quoteHash, settlementPlanHash, payer, token, grossAmount, deadline } = instruction;
  return keccak256(
    encodeAbiParameters(executionTypes, [
      ...([BigInt(chainId), adapter, quoteHash, settlementPlanHash, payer, token, grossAmount, deadline] as const),
      keccak256(concat(hashes)),
    ]),
  );
}

const lower = (address: Address): Address => `0x${address.slice(2).toLowerCase()}`;

/**
 * The deadline and the lines of an executed settlement, from the calldata of a direct call. Null for a nested call, and for
 * calldata whose hash differs, such as that of a call that a recipient made during the transfer.
 */
export function executedLines(
  { to, input }: Call,
  { chainId, adapter, executionHash }: { chainId: number; adapter: Address; executionHash: Hex },
): { deadline: bigint; lines: SettlementLine[] } | null {
  if (to !== adapter || !input.startsWith(selector)) return null;
  const instruction = decoded(input);
  if (!instruction || executionHashOf(chainId, adapter, instruction) !== executionHash) return null;
  const lines = instruction.lines.map(({ kind, recipient, token, amount, metadataHash }) => ({
    kind,
    recipient: lower(recipient),
    token: lower(token),
    amount: String(amount),
    metadata_hash: metadataHash,
  }));
  return { deadline: instruction.deadline, lines };
}

type Payment = { token: Address; amount: bigint; payoutAddress: Address };

/**
 * Whether a settlement pays a receipt: its lines pay the payout address at least the amount, in the receipt's token. Lines
 * that are unknown pay nothing.
 *
 * @example
 * pays({ token: "0xaa…", lines: '[{"recipient":"0xbb…","amount":"9",…}]' }, { token: "0xaa…", amount: 9n, payoutAddress: "0xbb…" }) // true
 */
export function pays(settlement: { token: Address; lines: string | null }, payment: Payment): boolean {
  if (settlement.lines === null || settlement.token !== payment.token) return false;
  // Written by the handler.
  const lines = JSON.parse(settlement.lines) as SettlementLine[];
  const received = lines
    .filter(({ recipient }) => recipient === payment.payoutAddress)
    .reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return received > 0n && received >= payment.amount;
}
