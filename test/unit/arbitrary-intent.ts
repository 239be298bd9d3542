import fc from "fast-check";
import type { Hex } from "viem";
import type { SignableIntent } from "../../common/intent";

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

/** Any valid intent. */
export const intent: fc.Arbitrary<SignableIntent> = fc.record({
  owner: hex(20),
  intentType: fc.nat(255),
  constraints: fc.record({
    amountInMax: uint256,
    amountOutMin: uint256,
    deadline: uint256,
    slippageBps: fc.nat(65_535),
  }),
  execution: fc.record({
    target: hex(20),
    dataHash: hex(32),
    requiredAttestationSubject: hex(32),
    requiredAttestationSchema: hex(32),
    metadataURIHash: hex(32),
  }),
  inputToken: hex(20),
  outputToken: hex(20),
  nonce: uint256,
});
