import { DEFAULT_ASSETS } from "@x402/evm";
import type { Address } from "viem";
import { localAccount } from "./local-accounts";
import { LOCAL_CHAIN_ID, LOCAL_PAYEE_INDEX, type Network } from "./networks";
import { type Terms, unitsOf } from "./terms";
import type { Variables } from "./variables/index";

/** Settings of the paid routes. */
export type PaymentSettings = {
  terms: Terms;
  rpcUrls: string[];
  /** Default: the built-in facilitator, on a local chain only. */
  facilitator: { url: string; authorization: string | undefined } | undefined;
};

/** Invalid combinations of payment variables on any chain, one line each. */
export function paymentProblems(variables: Variables): string[] {
  const { X402_FACILITATOR_URL, X402_FACILITATOR_AUTH } = variables;
  return X402_FACILITATOR_AUTH !== undefined && X402_FACILITATOR_URL === undefined
    ? ["X402_FACILITATOR_AUTH: requires X402_FACILITATOR_URL"]
    : [];
}

/** x402's default token of a network, if it supports EIP-3009. */
function knownAsset(network: Terms["network"]): Terms["asset"] | undefined {
  const [known] = DEFAULT_ASSETS[network] ?? [];
  if (!known || known.assetTransferMethod !== undefined) return undefined;
  const { asset, name, version, decimals } = known;
  return { address: asset.toLowerCase() as Address, name, version, decimals };
}

/** The metadata of the TestDollar contract on the local chain. */
const testDollar = (deployed: Address): Terms["asset"] => ({
  address: deployed.toLowerCase() as Address,
  name: "Test Dollar",
  version: "1",
  decimals: 6,
});

/** Returns the payment settings for a network, or the names of the missing variables. */
export function paymentSettings(variables: Variables, indexed: Network): PaymentSettings | { missing: string[] } {
  const network = variables.X402_NETWORK ?? (`eip155:${indexed.chainId}` as const);
  // The keys of the default payee and of the built-in facilitator are public, so both are for our own local chain only.
  const isLocal = indexed.chainId === LOCAL_CHAIN_ID && network === `eip155:${LOCAL_CHAIN_ID}`;
  const payTo = variables.X402_PAY_TO ?? (isLocal ? localAccount(LOCAL_PAYEE_INDEX).address : undefined);
  const asset =
    variables.X402_ASSET ?? (isLocal && indexed.testDollar ? testDollar(indexed.testDollar) : knownAsset(network));
  const url = variables.X402_FACILITATOR_URL;
  const rpcUrl = variables.X402_RPC_URL;
  const rpcUrls = rpcUrl ? [rpcUrl] : network === `eip155:${indexed.chainId}` ? indexed.rpcUrls : [];
  const missing = Object.entries({
    X402_PAY_TO: payTo,
    X402_FACILITATOR_URL: url ?? (isLocal || undefined),
    X402_ASSET: asset,
    X402_RPC_URL: rpcUrls[0],
  }).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (payTo === undefined || asset === undefined || missing.length > 0) return { missing };
  if (unitsOf(variables.X402_PRICE, asset.decimals) === null)
    throw new Error(`X402_PRICE: must have at most ${asset.decimals} decimals, as ${asset.name} has`);
  return {
    terms: { network, payTo: payTo.toLowerCase() as Address, price: variables.X402_PRICE, asset },
    rpcUrls,
    facilitator: url === undefined ? undefined : { url, authorization: variables.X402_FACILITATOR_AUTH },
  };
}
