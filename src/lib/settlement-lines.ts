import { type Address, getAbiItem, type Hex } from "viem";
import { settlementAdapterAbi } from "../../abis/index";
import { type Arguments, directCall } from "./calldata";
import { hashWords, keccak } from "./hash-words";

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

/** Nodes accept no transaction with more lines: 128 kB of calldata hold 819. */
const MAX_LINES = 1_000;

/** The positions of words in the calldata: the instruction's offset, its seven members, the number of lines, the lines. */
const QUOTE_HASH = 1;
const DEADLINE = 6;
const LINES_OFFSET = 7;
const LINE_COUNT = 8;
const FIRST_LINE = 9;
const WORDS_OF_LINE = 5;
const WORD = 32;

const bytesOf = (hex: Hex) => Buffer.from(hex.slice(2), "hex");

/** The called instruction. Null for more lines than accepted, and for offsets that no ABI encoder writes. */
function instructionOf(args: Arguments) {
  const isUsual = args.uint(0, 48) === WORD && args.uint(LINES_OFFSET, 48) === LINES_OFFSET * WORD;
  const count = args.uint(LINE_COUNT, 48);
  if (!isUsual || count > MAX_LINES) return null;
  const places = Array.from({ length: count }, (_, index) => FIRST_LINE + index * WORDS_OF_LINE);
  const lines = places.map(
    (place): SettlementLine => ({
      kind: args.uint(place, 8),
      recipient: args.address(place + 1),
      token: args.address(place + 2),
      amount: String(args.uint256(place + 3)),
      metadata_hash: args.bytes32(place + 4),
    }),
  );
  // The calldata of a line is its ABI encoding.
  const hashes = places.map((place) => keccak(bytesOf(args.words(place, WORDS_OF_LINE))));
  const head = [
    ...[args.bytes32(QUOTE_HASH), args.bytes32(2), args.address(3), args.address(4)],
    ...[args.uint256(5), args.uint256(DEADLINE), hashWords(...hashes)],
  ];
  return { deadline: args.uint256(DEADLINE), lines, head };
}

const readInstruction = directCall(getAbiItem({ abi: settlementAdapterAbi, name: "executeSettlement" }), instructionOf);

type Called = { chainId: number; adapter: Address; call: Call };

function executionOf({ chainId, adapter, call }: Called) {
  const instruction = readInstruction(call, adapter);
  if (!instruction) return null;
  const { deadline, lines, head } = instruction;
  return { executionHash: hashWords(chainId, adapter, ...head), deadline, lines };
}

/** The last decoded call. One transaction can have many events: a token or recipient may call the adapter again. */
let last: { called: Called; execution: ReturnType<typeof executionOf> } | undefined;

const isSame = (one: Called, other: Called) =>
  one.chainId === other.chainId &&
  one.adapter === other.adapter &&
  one.call.to === other.call.to &&
  one.call.input === other.call.input;

/**
 * The deadline and the lines of an executed settlement, from the calldata of a direct call. Null for a nested call, and for
 * calldata whose hash differs, such as that of a call that a recipient made during the transfer.
 */
export function executedLines(
  call: Call,
  { chainId, adapter, executionHash }: { chainId: number; adapter: Address; executionHash: Hex },
): { deadline: bigint; lines: SettlementLine[] } | null {
  // A copy, because Ponder passes the same transaction object again with other values.
  const called = { chainId, adapter, call: { to: call.to, input: call.input } };
  if (!last || !isSame(last.called, called)) last = { called, execution: executionOf(called) };
  if (last.execution?.executionHash !== executionHash) return null;
  const { deadline, lines } = last.execution;
  return { deadline, lines };
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
