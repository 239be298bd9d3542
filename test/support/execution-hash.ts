import { type Address, encodeAbiParameters, type Hex, keccak256 } from "viem";

export type Instruction = {
  quoteHash: Hex;
  settlementPlanHash: Hex;
  payer: Address;
  token: Address;
  grossAmount: bigint;
  deadline: bigint;
  lines: readonly { kind: number; recipient: Address; token: Address; amount: bigint; metadataHash: Hex }[];
};

const of = (...types: string[]) => types.map((type) => ({ type }));
const line = of("uint8", "address", "address", "uint256", "bytes32");
const uint = { type: "uint256" };
const hash = { type: "bytes32" };
const address = { type: "address" };

/** The executionHash by the formula of the protocol. The tests compare the index with it, so it shares no code with it. */
export function executionHashOf(chainId: number, adapter: Address, instruction: Instruction): Hex {
  const lines = instruction.lines.map(
    ({ kind, recipient, token, amount, metadataHash }): Hex =>
      keccak256(encodeAbiParameters(line, [kind, recipient, token, amount, metadataHash])),
  );
  const linesHash = keccak256(`0x${lines.map((one) => one.slice(2)).join("")}`);
  const { quoteHash, settlementPlanHash, payer, token, grossAmount, deadline } = instruction;
  return keccak256(
    encodeAbiParameters(
      [uint, address, hash, hash, address, address, uint, uint, hash],
      [BigInt(chainId), adapter, quoteHash, settlementPlanHash, payer, token, grossAmount, deadline, linesHash],
    ),
  );
}
