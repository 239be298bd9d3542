import { type Address, type Hex, toFunctionSelector } from "viem";

const TRANSFER = toFunctionSelector("transfer(address,uint256)");
const APPROVE = toFunctionSelector("approve(address,uint256)");
const TRANSFER_FROM = toFunctionSelector("transferFrom(address,address,uint256)");

const BYTE = 2;
const SELECTOR_DIGITS = 4 * BYTE;
const WORD_DIGITS = 32 * BYTE;

/** The function selector of a call, which data of at least four bytes has, whatever they are. */
export const selectorOf = (data: Hex): Hex | null =>
  data.length >= 2 + SELECTOR_DIGITS ? `0x${data.slice(2, 2 + SELECTOR_DIGITS)}` : null;

/** An argument of a call as a number, or null when the data does not reach that far. */
function argument(data: Hex, place: number): bigint | null {
  const end = 2 + SELECTOR_DIGITS + (place + 1) * WORD_DIGITS;
  return data.length >= end ? BigInt(`0x${data.slice(end - WORD_DIGITS, end)}`) : null;
}

/** The token spend that `PolicyModule` reads out of a call: the amount of an ERC-20 transfer, approval or transferFrom. */
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
