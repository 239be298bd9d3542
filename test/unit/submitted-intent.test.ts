import fc from "fast-check";
import { type Address, encodeFunctionData, type Hex, zeroHash } from "viem";
import { describe, expect, it } from "vitest";
import { intentBookAbi } from "../../abis/index";
import type { SignableIntent } from "../../common/intent";
import { submittedIntent } from "../../src/lib/submitted-intent";
import { intent } from "./arbitrary-intent";

const book: Address = "0x00000000000000000000000000000000000000aa";
const inputOf = (submitted: SignableIntent) =>
  encodeFunctionData({ abi: intentBookAbi, functionName: "submitIntent", args: [submitted, 27, zeroHash, zeroHash] });

describe("submittedIntent", () => {
  it("decodes any intent from the calldata of a direct call", () => {
    fc.assert(
      fc.property(intent, (submitted) => {
        expect(submittedIntent({ to: book, input: inputOf(submitted) }, book)).toEqual(submitted);
      }),
    );
  });

  it("returns null for another contract, another function and truncated calldata", () => {
    fc.assert(
      fc.property(intent, (submitted) => {
        const input = inputOf(submitted);
        expect(submittedIntent({ to: null, input }, book)).toBeNull();
        expect(submittedIntent({ to: "0x00000000000000000000000000000000000000bb", input }, book)).toBeNull();
        expect(submittedIntent({ to: book, input: `0xdeadbeef${input.slice(10)}` }, book)).toBeNull();
        expect(submittedIntent({ to: book, input: input.slice(0, -2) as Hex }, book)).toBeNull();
      }),
    );
  });

  it.each([0, 1, 5, 6, 11, 12])("returns null if word %i exceeds the type of its field", (place) => {
    fc.assert(
      fc.property(intent, (submitted) => {
        const input = inputOf(submitted);
        const at = 10 + place * 64;
        const dirty = `${input.slice(0, at)}1${input.slice(at + 1)}` as Hex;
        expect(submittedIntent({ to: book, input: dirty }, book)).toBeNull();
      }),
    );
  });
});
