import fc from "fast-check";
import { type Hex, hashStruct } from "viem";
import { describe, expect, it } from "vitest";
import { intentTypes } from "../../dev/protocol";
import { type Intent, intentHash } from "../../src/lib/intent-hash";

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array): Hex => `0x${Buffer.from(array).toString("hex")}`);
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });

const intent: fc.Arbitrary<Intent> = fc.record({
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

describe("intentHash", () => {
  it("equals what a general EIP-712 encoder makes of any intent", () => {
    fc.assert(
      fc.property(intent, (data) => {
        expect(intentHash(data)).toBe(hashStruct({ data, primaryType: "Intent", types: intentTypes }));
      }),
    );
  });

  it("differs when any member differs", () => {
    fc.assert(
      fc.property(intent, intent, (one, other) => {
        expect(intentHash({ ...one, nonce: other.nonce }) === intentHash(one)).toBe(one.nonce === other.nonce);
        expect(intentHash({ ...one, execution: other.execution }) === intentHash(one)).toBe(
          JSON.stringify(one.execution) === JSON.stringify(other.execution),
        );
      }),
    );
  });
});
