import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import type { Address, LocalAccount } from "viem";
import { LOCAL_CHAIN_ID } from "../config/networks";

const network = `eip155:${LOCAL_CHAIN_ID}` as const;

/**
 * A fetch that pays on the local chain, as it comes from npm. Such a client pays only in tokens that it knows, unless it
 * is told of another: the test dollar is known nowhere else.
 */
export const payingFetch = (account: LocalAccount, testDollar: Address) =>
  wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network, client: new ExactEvmScheme(account) }],
    spendControls: { allowedAssets: [{ network, asset: testDollar }] },
  });
