import { createWalletClient, http, type LocalAccount, publicActions } from "viem";
import { anvil, baseSepolia } from "viem/chains";
import type { Wallet } from "../../client/src/market/index";

// Compiled by test/core/types.test.ts and `npm run check`, never run.

/** Wallets of chains with and without block formats of their own, such as those of the OP stack. */
export const wallets = (account: LocalAccount): Wallet[] => [
  createWalletClient({ account, chain: anvil, transport: http() }).extend(publicActions),
  createWalletClient({ account, chain: baseSepolia, transport: http() }).extend(publicActions),
];
