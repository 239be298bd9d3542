import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { requirementsOf } from "../../api/payments/offer";
import { readPayment } from "../../api/payments/payload";
import { codeOf, isFinal, PaymentRejected, rejection } from "../../api/payments/rejections";
import { type Environment, InvalidEnvironment, parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import { type Terms, unitsOf } from "../../config/terms";

const terms: Terms = {
  network: "eip155:8453",
  payTo: `0x${"1".repeat(40)}`,
  price: "$0.01",
  asset: { address: `0x${"2".repeat(40)}`, name: "USD Coin", version: "2", decimals: 6 },
};
const requirements = requirementsOf(terms);

describe("a price", () => {
  it.each([
    ["$0.01", 6, 10_000n],
    ["1", 6, 1_000_000n],
    ["$0.010000", 2, 1n],
    ["$0.001", 2, null],
    ["$12.5", 0, null],
    ["$12", 0, 12n],
  ])("of %s in a token with %i decimals is %s", (price, decimals, units) => {
    expect(unitsOf(price, decimals)).toBe(units);
  });

  it("is exact for any amount", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.integer({ min: 0, max: 18 }), (units, decimals) => {
        const digits = String(units).padStart(decimals + 1, "0");
        const price = `${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals)}`;
        expect(unitsOf(price.replace(/\.$/, ""), decimals)).toBe(units);
      }),
    );
  });
});

describe("the header of a payment", () => {
  const read = (header: string) =>
    readPayment((name) => (name === "payment-signature" ? header : undefined), requirements);

  it("may be absent", () => {
    expect(readPayment(() => undefined, requirements)).toBeNull();
  });

  it("is rejected with a readable error for any content", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ minLength: 1 }), fc.json().map(btoaOf), fc.base64String({ minLength: 4 })),
        (header) => {
          expect(() => read(header)).toThrow(PaymentRejected);
        },
      ),
    );
  });

  it("identifies a payment by the signed message and the signature, ignoring the case of hex digits", () => {
    const authorization = {
      ...{ from: `0x${"AB".repeat(20)}`, to: terms.payTo, value: "10000" },
      ...{ validAfter: "0", validBefore: "99", nonce: `0x${"CD".repeat(32)}` },
    };
    const headerOf = (signature: string, changes = {}) =>
      btoaOf(
        JSON.stringify({
          x402Version: 2,
          accepted: requirements,
          payload: { signature, authorization: { ...authorization, ...changes } },
        }),
      );
    const [one, same, other] = [
      read(headerOf("0xAA")),
      read(headerOf("0xaa", { nonce: authorization.nonce.toLowerCase() })),
      read(headerOf("0xbb")),
    ];
    expect(one?.key).toEqual({
      network: "eip155:8453",
      asset: terms.asset.address,
      payer: `0x${"ab".repeat(20)}`,
      nonce: `0x${"cd".repeat(32)}`,
    });
    expect(same?.hash).toBe(one?.hash);
    expect(other?.hash).not.toBe(one?.hash);
    expect(one?.authorization.validBefore).toBe(99n);
  });
});

const btoaOf = (text: string) => Buffer.from(text).toString("base64");

describe("a facilitator's reason", () => {
  it("is passed on only if it is a code", () => {
    expect(codeOf("invalid_exact_evm_signature")).toBe("invalid_exact_evm_signature");
    for (const leak of ["http://node.example/key", "", undefined, "x".repeat(200), "Error: 0x"])
      expect(codeOf(leak)).toBe("invalid_payment");
    expect(rejection("something_else").message).toBe("The payment is not accepted: something_else");
  });

  it("is final only if no transaction was or will be sent", () => {
    expect(isFinal("invalid_exact_evm_insufficient_balance", "")).toBe(true);
    expect(isFinal("invalid_exact_evm_insufficient_balance", "0x12")).toBe(false);
    expect(isFinal("invalid_exact_evm_transaction_failed", "")).toBe(false);
    expect(isFinal("settlement_pending", "")).toBe(false);
  });
});

describe("the payment settings", () => {
  const RPC_URL = "https://rpc.example";
  const payTo = `0x${"3".repeat(40)}`;
  const settings = (source: Record<string, string>): ReturnType<Environment["payment"]> => {
    const { network, payment } = parseEnvironment({
      NETWORK: "base-sepolia",
      RPC_URL,
      PUBLIC_BASE_URL: "https://api.example",
      ...source,
    });
    return payment(network());
  };

  it("require a payee and a facilitator on a public network", () => {
    expect(settings({})).toEqual({ missing: ["X402_PAY_TO", "X402_FACILITATOR_URL"] });
    expect(settings({ X402_PAY_TO: payTo, X402_FACILITATOR_URL: "https://pay.example" })).toEqual({
      terms: {
        network: `eip155:${baseSepolia.chainId}`,
        payTo,
        price: "$0.01",
        asset: { address: "0x036cbd53842c5426634e7929541ec2318f3dcf7e", name: "USDC", version: "2", decimals: 6 },
      },
      rpcUrls: [RPC_URL],
      facilitator: { url: "https://pay.example", authorization: undefined },
    });
  });

  it("require an RPC URL and a token on an unknown network", () => {
    const given = { X402_PAY_TO: payTo, X402_FACILITATOR_URL: "https://pay.example" };
    expect(settings({ ...given, X402_NETWORK: "eip155:7777" })).toEqual({ missing: ["X402_ASSET", "X402_RPC_URL"] });
  });

  it("have no default payee and no built-in facilitator for a local payment network that is not the indexed chain", () => {
    const local = { X402_NETWORK: "eip155:31337", X402_RPC_URL: "https://rpc.example" };
    expect(settings(local)).toEqual({ missing: ["X402_PAY_TO", "X402_FACILITATOR_URL", "X402_ASSET"] });
  });

  it("have no default payee for another payment network than the indexed local chain", () => {
    const { payment } = parseEnvironment({ X402_NETWORK: "eip155:8453", X402_RPC_URL: "https://rpc.example" });
    const indexed = { ...baseSepolia, name: "local" as const, chainId: 31337, rpcUrls: [RPC_URL] };
    expect(payment({ ...indexed, testDollar: `0x${"4".repeat(40)}` })).toEqual({
      missing: ["X402_PAY_TO", "X402_FACILITATOR_URL"],
    });
  });

  it.each([
    ["X402_NETWORK", "base", "must be the CAIP-2 id of an EVM chain, such as eip155:8453"],
    ["X402_PAY_TO", `0x${"0".repeat(40)}`, "must not be the zero address"],
    ["X402_PRICE", "cheap", "must be an amount of dollars, such as $0.01"],
    ["X402_PRICE", "$0.00", "must be more than 0"],
    ["X402_FACILITATOR_URL", "pay.example", "must be an http(s) URL"],
    ["X402_FACILITATOR_AUTH", "Bearer key", "requires X402_FACILITATOR_URL"],
    ["X402_ASSET", `0x${"5".repeat(40)}`, "must be the token's address, the name and version in its EIP-712 domain"],
    ["X402_ASSET", `0x${"5".repeat(40)},Dollar,1,37`, "must be the token's address, the name and version"],
    ["X402_ASSET", "0x55,Dollar,1,6", "must be the token's address, the name and version in its EIP-712 domain"],
  ])("reject %s=%s and name the variable", (name, value, sentence) => {
    expect(() => settings({ [name]: value })).toThrow(InvalidEnvironment);
    expect(() => settings({ [name]: value })).toThrow(`${name}: ${sentence}`);
  });
});
