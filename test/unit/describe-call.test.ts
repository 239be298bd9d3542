import fc from "fast-check";
import { type Address, encodeFunctionData, type Hex, parseAbi } from "viem";
import { describe, expect, it } from "vitest";
import { intentBookAbi } from "../../abis/index";
import { describeCall } from "../../api/preflight/describe-call";
import { baseSepolia } from "../../config/networks";

const { contracts } = baseSepolia;
const token: Address = "0x00000000000000000000000000000000000000c1";
const somebody: Address = "0x00000000000000000000000000000000000000a1";
const of = (data: Hex, value = 0n, target = token) => describeCall({ target, value, data }, contracts);
const erc = parseAbi([
  "function transfer(address to, uint256 amount)",
  "function safeTransferFrom(address from, address to, uint256 tokenId)",
  "function setApprovalForAll(address operator, bool approved)",
]);

describe("describeCall", () => {
  it("describes a plain transfer", () => {
    expect(of("0x", 5n)).toBe(`Send 5 wei to ${token}`);
    expect(of("0x")).toBe(`Call ${token} without data`);
  });

  it("names the calls of token standards with their arguments", () => {
    expect(of(encodeFunctionData({ abi: erc, functionName: "transfer", args: [somebody, 7n] }))).toBe(
      `ERC-20 transfer(to: ${somebody}, amount: 7) on ${token}`,
    );
    expect(
      of(encodeFunctionData({ abi: erc, functionName: "safeTransferFrom", args: [somebody, somebody, 3n] }), 1n),
    ).toBe(`ERC-721 safeTransferFrom(from: ${somebody}, to: ${somebody}, tokenId: 3) on ${token}, with 1 wei`);
    expect(of(encodeFunctionData({ abi: erc, functionName: "setApprovalForAll", args: [somebody, true] }))).toBe(
      `ERC-721 or ERC-1155 setApprovalForAll(operator: ${somebody}, approved: true) on ${token}`,
    );
  });

  it("names the protocol's functions only on its own contracts", () => {
    const data = encodeFunctionData({ abi: intentBookAbi, functionName: "selectBid", args: [7n, 2n] });
    expect(of(data, 0n, contracts.IntentBook)).toBe("IntentBook.selectBid(intentId: 7, bidId: 2)");
    expect(of(data)).toBe(`Call function ${data.slice(0, 10)} of ${token}`);
  });

  it("names an unknown or invalid call by its selector", () => {
    expect(of("0xa9059cbb00")).toBe(`Call function 0xa9059cbb of ${token}`);
    expect(of("0x00000000")).toBe(`Call function 0x00000000 of ${token}`);
    expect(of("0xa905")).toBe(`Call ${token} with 2 bytes of data`);
  });

  it("returns a short sentence for any data", () => {
    const selectors = fc.constantFrom("0xa9059cbb", "0x2eb2c2d6", "0xf242432a", "0xb88d4fde");
    fc.assert(
      fc.property(selectors, fc.uint8Array({ maxLength: 600 }), (selector, bytes) => {
        const sentence = of(`${selector}${Buffer.from(bytes).toString("hex")}` as Hex);
        expect(sentence.length).toBeLessThan(700);
      }),
    );
  });
});
