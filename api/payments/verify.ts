import { setImmediate } from "node:timers/promises";
import type { x402ResourceServer } from "@x402/core/server";
import { authorizationTypes } from "@x402/evm";
import type { Logger } from "pino";
import { type Address, isErc6492Signature, verifyTypedData } from "viem";
import { type PaymentChain, transferProblem } from "./chain";
import type { Payment } from "./payload";
import { codeOf, isUnclear, mayBeMistaken, notCharged, rejection } from "./rejections";

/** The length of a signature by a key: r, s and v, in hex with 0x. */
const KEY_SIGNATURE_LENGTH = 132;

/** A signature, and what the payer signs: a transfer of the token with an authorization (EIP-3009). */
const signedData = ({ signature, authorization, payload: { accepted } }: Payment) => ({
  address: authorization.from,
  signature,
  domain: {
    name: String(accepted.extra.name),
    version: String(accepted.extra.version),
    chainId: Number(accepted.network.slice("eip155:".length)),
    verifyingContract: accepted.asset as Address,
  },
  types: authorizationTypes,
  primaryType: "TransferWithAuthorization" as const,
  message: authorization,
});

/**
 * Whether the payer's key signed the payment. This takes milliseconds of CPU and nothing else. A contract's signature
 * is false here, and needs `isSignedByContract`.
 */
export async function isSignedByPayer(payment: Payment): Promise<boolean> {
  if (payment.signature.length !== KEY_SIGNATURE_LENGTH) return false;
  // Other requests are served between two signatures.
  await setImmediate();
  // Bytes that are no signature are an error.
  return verifyTypedData(signedData(payment)).catch(() => false);
}

/** Creates the checks of a payment that need the facilitator or the payment network. */
export function createVerifier(server: x402ResourceServer, chain: PaymentChain, log: Logger) {
  /** Rejects with the response to a request that needs the payment network. */
  const onError = (error: unknown): never => {
    log.warn({ err: error }, "the payment network does not answer");
    throw notCharged("The payment network does not answer, so nothing was charged; try again shortly", error);
  };
  const notVerified = (cause?: unknown) =>
    notCharged("The facilitator could not verify the payment, so nothing was charged; try again shortly", cause);

  return {
    /**
     * Whether the payer is a contract that accepts the signature (ERC-1271), or would if it were deployed as the signature
     * says (ERC-6492).
     */
    async isSignedByContract(payment: Payment): Promise<boolean> {
      // viem's verification would return false if the chain does not answer.
      const code = await chain.getCode({ address: payment.authorization.from }).catch(onError);
      if ((code === undefined || code === "0x") && !isErc6492Signature(payment.signature)) return false;
      return chain.verifyTypedData(signedData(payment)).catch(onError);
    },

    /** Asks the facilitator. Throws if the payment is rejected. */
    async verify(payment: Payment, isProven: boolean): Promise<void> {
      const { payload } = payment;
      const verdict = await server.verifyPayment(payload, payload.accepted).catch((error: unknown) => {
        log.warn({ err: error }, "the facilitator did not verify a payment");
        throw notVerified(error);
      });
      if (verdict.isValid) return;
      const code = codeOf(verdict.invalidReason);
      if (!isUnclear(code) && !mayBeMistaken(code)) throw rejection(code);
      const problem = await transferProblem(chain, payment, code).catch(onError);
      // If its node fails, a facilitator may reject a good payment: a signature that it can't check, or a transfer that it
      // can't simulate. The payment network decides then.
      if (problem || !isProven || !mayBeMistaken(code)) throw problem ?? rejection(code);
      log.warn({ reason: code }, "the facilitator rejected a valid payment");
      throw notVerified();
    },
  };
}
