import { type Address, type Hex, toFunctionSelector } from "viem";

const TRANSFER = toFunctionSelector("transfer(address,uint256)");
const APPROVE = toFunctionSelector("approve(address,uint256)");
const TRANSFER_FROM = toFunctionSelector("transferFrom(address,address,uint256)");

const BYTE = 2;
const SELECTOR_DIGITS = 4 * BYTE;
const WORD_DIGITS = 32 * BYTE;

/** The first four bytes of call data, or null for shorter data. */
export const selectorOf = (data: Hex): Hex | null =>
  data.length >= 2 + SELECTOR_DIGITS ? `0x${data.slice(2, 2 + SELECTOR_DIGITS)}` : null;

/** Reads the 32-byte argument at an index, or null if the data is too short. */
function argument(data: Hex, index: number): bigint | null {
  const end = 2 + SELECTOR_DIGITS + (index + 1) * WORD_DIGITS;
  return data.length >= end ? BigInt(`0x${data.slice(end - WORD_DIGITS, end)}`) : null;
}

/** The token spend that `PolicyModule` counts: the amount of an ERC-20 transfer, approve or transferFrom. */
export function tokenSpend(target: Address, data: Hex): { token: Address; amount: bigint } | null {
  const selector = selectorOf(data);
  const amount =
    selector === TRANSFER || selector === APPROVE
      ? argument(data, 1)
      : selector === TRANSFER_FROM
        ? argument(data, 2)
        : null;
  return amount === null || amount === 0n ? null : { token: target, amount };
}
