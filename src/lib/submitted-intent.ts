import { type Address, getAbiItem, type Hex, toFunctionSelector } from "viem";
import { intentBookAbi } from "../../abis/index";
import type { Intent } from "./intent-hash";

const selector = toFunctionSelector(getAbiItem({ abi: intentBookAbi, name: "submitIntent" }));

/** Fourteen words of the intent, then v, r and s: every member is static, so each has its place. */
const CALLDATA_WORDS = 17;
const DIGITS = 64;

/**
 * The intent with which a transaction itself called `submitIntent`, or null when it called something else or holds a
 * word that no member of its type could be. It reads the words in place because it runs for every submission indexed,
 * and a general decoder takes ten times as long.
 */
export function submittedIntent({ to, input }: { to: Address | null; input: Hex }, contract: Address): Intent | null {
  if (to !== contract || !input.startsWith(selector)) return null;
  if (input.length < selector.length + CALLDATA_WORDS * DIGITS) return null;
  let fits = true;
  const word = (place: number, digits: number): Hex => {
    const end = selector.length + (place + 1) * DIGITS;
    if (digits < DIGITS && !/^0*$/.test(input.slice(end - DIGITS, end - digits))) fits = false;
    return `0x${input.slice(end - digits, end)}`;
  };
  const address = (place: number) => word(place, 40);
  const bytes32 = (place: number) => word(place, DIGITS);
  const uint256 = (place: number) => BigInt(bytes32(place));
  const intent: Intent = {
    owner: address(0),
    intentType: Number(word(1, 2)),
    constraints: {
      amountInMax: uint256(2),
      amountOutMin: uint256(3),
      deadline: uint256(4),
      slippageBps: Number(word(5, 4)),
    },
    execution: {
      target: address(6),
      dataHash: bytes32(7),
      requiredAttestationSubject: bytes32(8),
      requiredAttestationSchema: bytes32(9),
      metadataURIHash: bytes32(10),
    },
    inputToken: address(11),
    outputToken: address(12),
    nonce: uint256(13),
  };
  return fits ? intent : null;
}
