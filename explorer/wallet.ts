import { createWalletClient, custom, type EIP1193Provider, numberToHex } from "viem";
import { createIntentryClient, type PaidSnapshot } from "../client/src/index";

/** The payment terms that the page shows. The wallet signs no others. */
export type Terms = { network: `eip155:${number}`; asset: string; amount: string };

type Purchase = {
  provider: EIP1193Provider | undefined;
  /** Undefined if the service asks for no payment. */
  terms: Terms | undefined;
  address: string;
  chains: readonly string[] | undefined;
};

/** The code of EIP-3085 for a chain that the wallet does not know. */
const UNKNOWN_CHAIN = 4902;

/** Wallets sign typed data only for the chain that they are on. */
async function switchChain(provider: EIP1193Provider, network: Terms["network"]): Promise<void> {
  const chainId = Number(network.slice("eip155:".length));
  try {
    await provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: numberToHex(chainId) }] });
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (code === UNKNOWN_CHAIN)
      throw new Error(`The wallet does not know chain ${chainId}. Add it to the wallet first.`);
    throw error;
  }
}

/** Buys a portfolio. The injected wallet signs the payment; it sends no transaction and needs no gas. */
export async function buyPortfolio({ provider, terms, address, chains }: Purchase): Promise<PaidSnapshot> {
  const url = location.origin;
  const options = chains && { chains };
  if (!terms) return createIntentryClient({ url }).portfolio(address, options);
  if (!provider) throw new Error("This browser has no wallet.");
  const [account] = await provider.request({ method: "eth_requestAccounts" });
  if (account === undefined) throw new Error("The wallet shared no account.");
  await switchChain(provider, terms.network);
  const wallet = createWalletClient({ account, transport: custom(provider) });
  const { network, asset, amount } = terms;
  const client = createIntentryClient({
    url,
    payer: { address: account, signTypedData: (data) => wallet.signTypedData({ ...data, account } as never) },
    spending: { tokens: [{ network, asset, maxAmountPerPayment: amount }] },
  });
  return client.portfolio(address, options);
}
