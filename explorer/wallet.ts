import { createWalletClient, custom } from "viem";
import { createIntentryClient, type PaidSnapshot } from "../client/src/index";
import { type InjectedWallet, requestAccount, switchChain } from "./acting/injected-wallet";

/** The payment terms that the page shows. The wallet signs no others. */
export type Terms = { network: `eip155:${number}`; asset: string; amount: string };

type Purchase = {
  provider: InjectedWallet | undefined;
  /** Undefined if the service asks for no payment. */
  terms: Terms | undefined;
  address: string;
  chains: readonly string[] | undefined;
};

/** Buys a portfolio. The injected wallet signs the payment; it sends no transaction and needs no gas. */
export async function buyPortfolio({ provider, terms, address, chains }: Purchase): Promise<PaidSnapshot> {
  const url = location.origin;
  const options = chains && { chains };
  if (!terms) return createIntentryClient({ url }).portfolio(address, options);
  if (!provider) throw new Error("This browser has no wallet.");
  const account = await requestAccount(provider);
  // Wallets sign typed data only for the chain that they are on.
  await switchChain(provider, Number(terms.network.slice("eip155:".length)));
  const wallet = createWalletClient({ account, transport: custom(provider) });
  const { network, asset, amount } = terms;
  const client = createIntentryClient({
    url,
    payer: { address: account, signTypedData: (data) => wallet.signTypedData({ ...data, account } as never) },
    spending: { tokens: [{ network, asset, maxAmountPerPayment: amount }] },
  });
  return client.portfolio(address, options);
}
