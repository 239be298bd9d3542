import fc from "fast-check";
import { type Address, encodeFunctionData, type Hex, maxUint256, toFunctionSelector, zeroAddress } from "viem";
import { describe, expect, it } from "vitest";
import { settlementAdapterAbi } from "../../abis/index";
import { executedLines, pays } from "../../src/lib/settlement-lines";
import { executionHashOf, type Instruction } from "../support/execution-hash";

const chainId = 84532;
const adapter: Address = "0xbd61097cc7b7e1f03e88fe20e9512ff091126cb3";
const other: Address = `0x${"0b".repeat(20)}`;
const merchant: Address = `0x${"ab".repeat(20)}`;
const token: Address = `0x${"cd".repeat(20)}`;
const hash = (digits: string): Hex => `0x${digits.repeat(32)}`;

const inputOf = (instruction: Instruction): Hex =>
  encodeFunctionData({ abi: settlementAdapterAbi, functionName: "executeSettlement", args: [instruction] });

const line = { kind: 7, recipient: merchant, token, amount: 5n, metadataHash: hash("03") };
const example: Instruction = {
  ...{ quoteHash: hash("01"), settlementPlanHash: hash("02"), payer: other, token, grossAmount: 7n, deadline: 99n },
  lines: [line, { ...line, kind: 0, recipient: other, amount: 2n }],
};
const exampleHash = executionHashOf(chainId, adapter, example);
const exampleInput = inputOf(example);
const exampleLines = [
  { kind: 7, recipient: merchant, token, amount: "5", metadata_hash: hash("03") },
  { kind: 0, recipient: other, token, amount: "2", metadata_hash: hash("03") },
];

const linesOf = (input: Hex, executionHash = exampleHash, to: Address | null = adapter) =>
  executedLines({ to, input }, { chainId, adapter, executionHash });

const bytes = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
const amount = fc.bigInt({ min: 0n, max: maxUint256 });
const anyInstruction: fc.Arbitrary<Instruction> = fc.record({
  ...{ quoteHash: bytes(32), settlementPlanHash: bytes(32), payer: bytes(20), token: bytes(20) },
  ...{ grossAmount: amount, deadline: amount },
  lines: fc.array(
    fc.record({
      ...{ kind: fc.integer({ min: 0, max: 255 }), recipient: bytes(20), token: bytes(20) },
      ...{ amount, metadataHash: bytes(32) },
    }),
    { maxLength: 6 },
  ),
});

/** The calldata with another word at a position. */
const withWord = (place: number, word: bigint): Hex => {
  const start = 10 + place * 64;
  return `0x${exampleInput.slice(2, start)}${word.toString(16).padStart(64, "0")}${exampleInput.slice(start + 64)}`;
};

describe("the lines of a settlement", () => {
  it("are those of each call, although Ponder's backfill passes one transaction object with changing values", () => {
    const second = { ...example, deadline: 100n };
    const transaction = { to: adapter, input: exampleInput };
    const deadlineOf = (executionHash: Hex) =>
      executedLines(transaction, { chainId, adapter, executionHash })?.deadline;
    expect(deadlineOf(exampleHash)).toBe(99n);
    transaction.input = inputOf(second);
    expect(deadlineOf(executionHashOf(chainId, adapter, second))).toBe(100n);
  });

  it("are those of any direct call whose execution hash, by the protocol's formula, is the event's", () => {
    fc.assert(
      fc.property(anyInstruction, (instruction) => {
        expect(linesOf(inputOf(instruction), executionHashOf(chainId, adapter, instruction))).toEqual({
          deadline: instruction.deadline,
          lines: instruction.lines.map(({ amount, metadataHash, ...one }) => ({
            ...one,
            amount: String(amount),
            metadata_hash: metadataHash,
          })),
        });
      }),
    );
    expect(linesOf(exampleInput)).toEqual({ deadline: 99n, lines: exampleLines });
  });

  it("are unknown for another execution hash, chain or adapter", () => {
    expect(linesOf(exampleInput, hash("01"))).toBeNull();
    const call = { to: adapter, input: exampleInput };
    expect(executedLines(call, { chainId: 1, adapter, executionHash: exampleHash })).toBeNull();
    expect(executedLines({ ...call, to: other }, { chainId, adapter: other, executionHash: exampleHash })).toBeNull();
    expect(linesOf(exampleInput)).not.toBeNull();
  });

  it.each<[string, keyof Instruction, unknown]>([
    ["quote", "quoteHash", hash("0f")],
    ["plan", "settlementPlanHash", hash("0f")],
    ["payer", "payer", merchant],
    ["token", "token", other],
    ["gross amount", "grossAmount", 8n],
    ["deadline", "deadline", 100n],
    ["order of lines", "lines", [...example.lines].reverse()],
    ["number of lines", "lines", [line]],
    ["kind of a line", "lines", [{ ...line, kind: 1 }, example.lines[1]]],
    ["amount of a line", "lines", [{ ...line, amount: 500n }, example.lines[1]]],
    ["recipient of a line", "lines", [{ ...line, recipient: other }, example.lines[1]]],
  ])("are unknown for calldata with another %s", (_, member, value) => {
    expect(linesOf(inputOf({ ...example, [member]: value } as Instruction))).toBeNull();
  });

  it("are unknown for a call of another contract, a contract creation, and another function", () => {
    expect(linesOf(exampleInput, exampleHash, other)).toBeNull();
    expect(linesOf(exampleInput, exampleHash, null)).toBeNull();
    const aggregate = toFunctionSelector("function aggregate((address,uint256,bytes)[])");
    expect(linesOf(`${aggregate}${exampleInput.slice(10)}` as Hex)).toBeNull();
    expect(linesOf("0x")).toBeNull();
  });

  it("are known despite further bytes after the arguments, as for the contract", () => {
    expect(linesOf(`${exampleInput}${"ff".repeat(100)}`)).toEqual({ deadline: 99n, lines: exampleLines });
  });

  it("are unknown for truncated or modified calldata, which never throws", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: exampleInput.length - 1 }), (end) => {
        expect(linesOf(exampleInput.slice(0, end) as Hex)).toBeNull();
      }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 10, max: exampleInput.length - 1 }),
        fc.constantFrom("0", "8", "f"),
        (at, digit) => {
          const changed = `${exampleInput.slice(0, at)}${digit}${exampleInput.slice(at + 1)}` as Hex;
          expect(linesOf(changed) === null).toBe(changed !== exampleInput);
        },
      ),
    );
  });

  it("are unknown for a number of lines that the calldata does not have, at no cost", () => {
    for (const count of [3n, 1_001n, 2n ** 40n, 2n ** 64n, maxUint256]) {
      const { user } = process.cpuUsage();
      expect(linesOf(withWord(8, count))).toBeNull();
      expect(process.cpuUsage().user - user).toBeLessThan(100_000);
    }
  });

  const manyLines = (count: number): Instruction => ({
    ...example,
    lines: Array.from({ length: count }, (_, index) => ({ ...line, amount: BigInt(index + 1) })),
  });

  it("are at most 1,000", () => {
    const [most, more] = [manyLines(1_000), manyLines(1_001)];
    expect(linesOf(inputOf(most), executionHashOf(chainId, adapter, most))?.lines).toHaveLength(1_000);
    expect(linesOf(inputOf(more), executionHashOf(chainId, adapter, more))).toBeNull();
  });

  it("are decoded once for all events of a transaction, of which a hostile token can cause thousands", () => {
    const most = manyLines(1_000);
    const input = inputOf(most);
    const before = process.cpuUsage().user;
    linesOf(input);
    const once = process.cpuUsage().user - before;
    for (let event = 0; event < 2_000; event++) expect(linesOf(input, hash("01"))).toBeNull();
    expect(process.cpuUsage().user - before - once).toBeLessThan(2_000_000);
    expect(linesOf(input, executionHashOf(chainId, adapter, most))?.lines).toHaveLength(1_000);
  });
});

describe("a settlement", () => {
  const linesText = JSON.stringify(exampleLines);
  const paying = (change: Partial<Parameters<typeof pays>[1]>) =>
    pays({ token, lines: linesText }, { token, amount: 5n, payoutAddress: merchant, ...change });

  it("pays a receipt whose payout address receives at least the amount in the token", () => {
    expect(paying({})).toBe(true);
    expect(paying({ amount: 4n })).toBe(true);
    expect(paying({ amount: 6n })).toBe(false);
    expect(paying({ token: zeroAddress })).toBe(false);
    expect(paying({ payoutAddress: other })).toBe(false);
    expect(paying({ payoutAddress: other, amount: 2n })).toBe(true);
    expect(paying({ payoutAddress: zeroAddress, amount: 0n })).toBe(false);
  });

  it("pays the sum of the lines to the payout address, which may exceed uint256", () => {
    const [own] = exampleLines;
    const lines = JSON.stringify([own, { ...own, amount: String(maxUint256) }]);
    expect(pays({ token, lines }, { token, amount: maxUint256, payoutAddress: merchant })).toBe(true);
    const two = JSON.stringify([own, own]);
    expect(pays({ token, lines: two }, { token, amount: 10n, payoutAddress: merchant })).toBe(true);
    expect(pays({ token, lines: two }, { token, amount: 11n, payoutAddress: merchant })).toBe(false);
  });

  it("pays nothing if its lines are unknown", () => {
    expect(pays({ token, lines: null }, { token, amount: 0n, payoutAddress: merchant })).toBe(false);
  });
});
