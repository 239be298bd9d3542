import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import type { Address, LocalAccount } from "viem";
import { LOCAL_CHAIN_ID } from "../config/networks";

const network = `eip155:${LOCAL_CHAIN_ID}` as const;

/**
 * The x402 fetch wrapper from npm, set up to pay on the local chain. It pays only in well-known tokens by default, so the
 * test dollar must be allowed explicitly.
 */
export const payingFetch = (account: LocalAccount, testDollar: Address) =>
  wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network, client: new ExactEvmScheme(account) }],
    spendControls: { allowedAssets: [{ network, asset: testDollar }] },
  });
