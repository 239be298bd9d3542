import { ExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch";
import type { Address, LocalAccount } from "viem";
import { LOCAL_CHAIN_ID } from "../../config/networks";

const network = `eip155:${LOCAL_CHAIN_ID}` as const;

/** The spending limits that allow the test dollar. Without them the x402 client pays only in well-known tokens. */
export const spendControlsFor = (testDollar: Address) => ({ allowedAssets: [{ network, asset: testDollar }] });

/** The x402 fetch wrapper from npm, set up to pay on the local chain. */
export const payingFetch = (account: LocalAccount, testDollar: Address) =>
  wrapFetchWithPaymentFromConfig(fetch, {
    schemes: [{ network, client: new ExactEvmScheme(account) }],
    spendControls: spendControlsFor(testDollar),
  });
