import { type Address, encodeAbiParameters, type Hex, keccak256 } from "viem";

/** The argument of `CommerceRegistry.commitQuote`. */
export type QuoteCommitment = {
  merchantId: bigint;
  serviceNumericId: bigint;
  agent: Address;
  token: Address;
  facilitator: Address;
  amount: bigint;
  paymentRail: number;
  expiresAt: bigint;
  paymentNonce: bigint;
  resourceHash: Hex;
  termsHash: Hex;
  x402PayloadHash: Hex;
};

const hashOf = (types: readonly string[], values: readonly unknown[]): Hex =>
  keccak256(
    encodeAbiParameters(
      types.map((type) => ({ type })),
      values,
    ),
  );

/** The hash that identifies a quote, as the contract computes it. The protocol fee is always zero. */
export function quoteHash(chainId: number, registry: Address, quote: QuoteCommitment): Hex {
  const sale = hashOf(
    ["uint256", "uint256", "bytes32", "bytes32"],
    [quote.merchantId, quote.serviceNumericId, quote.resourceHash, quote.termsHash],
  );
  const payment = hashOf(
    ["address", "address", "address", "uint256", "uint8", "uint256", "uint256", "bytes32"],
    [
      quote.agent,
      quote.token,
      quote.facilitator,
      quote.amount,
      quote.paymentRail,
      quote.expiresAt,
      quote.paymentNonce,
      quote.x402PayloadHash,
    ],
  );
  return hashOf(
    ["uint256", "address", "bytes32", "bytes32", "uint16", "uint256"],
    [BigInt(chainId), registry, sale, payment, 0, 0n],
  );
}
