import { type Address, erc20Abi, type Hex } from "viem";
import { hasCode, IntentryError } from "../error";
import type { IntentryClient } from "../index";
import { authorizationAbi, authorizationToJson, signAuthorization } from "./authorization";
import { committedQuote } from "./committed-quote";
import { earlierTransfer } from "./earlier-transfer";
import { requireTimeToSettle } from "./expiry";
import { unusable } from "./fields";
import { inTurns } from "./in-turns";
import { needsFacilitator, railOf, type VerifiedQuote } from "./quote";
import { type SwapOptions, swap } from "./swap";
import { senderOf, type Wallet } from "./wallet";

type Options = {
  intentry: IntentryClient;
  wallet: Wallet;
  /** The address of the CommerceRegistry. */
  registry: Address;
  /** What to swap for the rail `swap`. */
  swapFrom: SwapOptions | undefined;
};

/** The transfer that pays a quote. */
export const transferOf = ({ quote: { amount }, payTo }: VerifiedQuote) =>
  ({ abi: erc20Abi, functionName: "transfer", args: [payTo, amount] }) as const;

/** The payments of a buyer. Each quote is paid once. */
export function paymentsOf({ intentry, wallet, registry, swapFrom }: Options) {
  const isSettled = async (quoteHash: Hex): Promise<boolean> =>
    (await committedQuote(wallet, registry, quoteHash))?.settled ?? false;

  /** The transfers of this process. Each pays one quote. */
  const transfers = new Set<Hex>();
  /** The quotes whose transfer may have been sent. It must not be repeated. */
  const uncertain = new Set<Hex>();
  const inTurn = inTurns<Address>();

  const findTransfer = (verified: VerifiedQuote) =>
    earlierTransfer({ intentry, wallet, registry }, verified, transfers);

  /** Transfers the amount of a quote once. Returns the transaction. */
  const transferFor = async (verified: VerifiedQuote): Promise<Hex> => {
    const { quote: offered, quoteHash } = verified;
    const found = await inTurn(offered.token, async () => {
      const earlier = await findTransfer(verified);
      if (earlier) transfers.add(earlier);
      return earlier;
    });
    if (found) return found;
    if (uncertain.has(quoteHash))
      throw new IntentryError(`The transfer for quote ${quoteHash} may have been sent, and is not mined`, {
        code: "no_response",
      });
    if (railOf(offered.paymentRail) === "swap") {
      if (!swapFrom) throw unusable("The rail swap needs swapFrom");
      await swap({ intentry, wallet }, { token: offered.token, amount: offered.amount }, swapFrom);
    }
    await requireTimeToSettle(wallet, offered);
    return inTurn(offered.token, async () => {
      uncertain.add(quoteHash);
      const transfer = { ...transferOf(verified), address: offered.token };
      const { transactionHash } = await senderOf(wallet)(() => wallet.writeContract(transfer)).catch(
        (error: unknown) => {
          if (hasCode(error, "transaction_failed")) uncertain.delete(quoteHash);
          throw error;
        },
      );
      transfers.add(transactionHash);
      return transactionHash;
    });
  };

  return {
    /** Pays a quote on its rail. Returns the members of the message to the merchant that show the payment. */
    async payment(verified: VerifiedQuote): Promise<object> {
      const { quote: offered, quoteHash, payTo } = verified;
      // The merchant has already recorded the payment, and may still have to deliver.
      if (await isSettled(quoteHash)) return {};
      if (!needsFacilitator(railOf(offered.paymentRail))) return { transaction: await transferFor(verified) };
      await requireTimeToSettle(wallet, offered);
      // The nonce is the quote's hash, so that signing it again pays nothing twice.
      const transfer = { to: payTo, value: offered.amount, validBefore: offered.expiresAt, nonce: quoteHash };
      return { authorization: authorizationToJson(await signAuthorization(wallet, offered.token, transfer)) };
    },

    /** Whether a quote is paid, apart from an authorization that the merchant has not sent. */
    async isPaid(verified: VerifiedQuote): Promise<boolean> {
      const { quote: offered, quoteHash } = verified;
      if (await isSettled(quoteHash)) return true;
      if (!needsFacilitator(railOf(offered.paymentRail))) return (await findTransfer(verified)) !== undefined;
      const token = { abi: authorizationAbi, address: offered.token } as const;
      const args = [wallet.account.address, quoteHash] as const;
      return wallet.readContract({ ...token, functionName: "authorizationState", args });
    },
  };
}
