import type { LocalAccount } from "viem";
import { IntentryError } from "./error";

/** An account that signs EIP-712 messages. The service sends the transaction, so the payer needs no gas. */
export type Payer = Pick<LocalAccount, "address" | "signTypedData">;

/**
 * Spending limits. By default the client pays at most $1 at a time, in the dollar tokens of public chains that the x402 library
 * knows, and any token of a local chain (31337), which has no value.
 */
export type Spending = {
  /** The maximum amount of one payment in a known token, such as "$0.05". */
  maxPerPayment?: `$${string}`;
  /** Additional accepted tokens: network (such as `eip155:8453`) and address. */
  tokens?: readonly { network: `eip155:${number}`; asset: string; maxAmountPerPayment?: string }[];
};

const LOCAL_NETWORK = "eip155:31337";

const DEFAULT_MAX = "$1";

type Requirement = { network: string; asset: string; amount: string };

/** The tokens of local chains among the accepted ones. A signature for chain 31337 is worth nothing on others. */
const localTokens = (accepts: readonly Requirement[]) =>
  accepts
    .filter(({ network }) => network === LOCAL_NETWORK)
    .map(({ asset }) => ({ network: LOCAL_NETWORK, asset }) as const);

/** The most requirements that a message names. */
const NAMED = 3;

/** The error when no requirement is within the spending limits. */
function declined(accepts: readonly Requirement[], spending: Spending | undefined, cause: unknown): IntentryError {
  const asked = accepts.slice(0, NAMED).map(({ amount, asset, network }) => `${amount} of ${asset} on ${network}`);
  const others = spending?.tokens?.length ? " and the tokens in `spending.tokens`" : "";
  const limits = `at most ${spending?.maxPerPayment ?? DEFAULT_MAX} in known tokens of EVM chains${others}`;
  return new IntentryError(
    `The service asks for ${asked.join(" or ") || "nothing that can be paid"}, and this client pays ${limits}. ` +
      "To pay it, add the token to `spending.tokens`, or raise `spending.maxPerPayment`",
    { status: 402, code: "payment_declined", cause },
  );
}

/** The payer, whose refusal to sign becomes an IntentryError. */
const signerOf = ({ address, signTypedData }: Payer): Payer => ({
  address,
  signTypedData: ((message: never) =>
    signTypedData(message).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new IntentryError(`The payer did not sign the payment: ${reason}`, { code: "payment_declined", cause });
    })) as Payer["signTypedData"],
});

/** A response with payment terms. */
type Offer = { header: (name: string) => string | null; body: unknown };

/** Signs the payment for an offer. Loads the x402 libraries, which only a paying client needs. */
export async function signPayment(payer: Payer, spending: Spending | undefined, { header, body }: Offer) {
  const [{ x402Client, x402HTTPClient }, { ExactEvmScheme }] = await Promise.all([
    import("@x402/fetch"),
    import("@x402/evm/exact/client"),
  ]);
  const unpaid = new x402HTTPClient(new x402Client());
  let required: ReturnType<typeof unpaid.getPaymentRequiredResponse>;
  try {
    required = unpaid.getPaymentRequiredResponse(header, body);
  } catch (cause) {
    const message = "The service asks for a payment, but its payment terms can't be read";
    throw new IntentryError(message, { status: 402, code: "unexpected_response", cause });
  }
  const { accepts } = required;
  const client = x402Client.fromConfig({
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(signerOf(payer)) }],
    spendControls: {
      ...(spending?.maxPerPayment && { maxAmountPerPayment: spending.maxPerPayment }),
      allowedAssets: [...localTokens(accepts), ...(spending?.tokens ?? [])],
    },
  });
  const http = new x402HTTPClient(client);
  const payload = await http.createPaymentPayload(required).catch((cause: unknown) => {
    throw cause instanceof IntentryError ? cause : declined(accepts, spending, cause);
  });
  return { headers: http.encodePaymentSignatureHeader(payload), http };
}
