import fc from "fast-check";
import { keccak256 as general } from "viem";
import { describe, expect, it } from "vitest";
import { keccak256 } from "../../api/offchain/keccak";

describe("keccak256 of the store", () => {
  it("equals viem's for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        expect(keccak256(bytes)).toBe(general(bytes));
      }),
    );
  });
});
