import { type Address, getAddress } from "viem";
import { LOCAL_CHAIN_ID } from "./networks";

/** What a portfolio needs to know of a chain before it asks the chain anything. */
export type Chain = {
  chainId: number;
  native: { symbol: string; name: string; decimals: number };
  /** Contracts that show the native balance once more as if it were a token's; counting them would count it twice. */
  nativeContracts: readonly Address[];
  /** Alchemy's name for it; null where Alchemy is not. */
  alchemyNetwork: string | null;
  /** Where Multicall3 is; null where it has not been deployed. */
  multicall3: Address | null;
  /** How many of the newest blocks are searched for transfers: what public RPC nodes allow to be asked at once. */
  activityBlocks: bigint;
  /** Whether its time is its own: the local chain stands still between transactions, and can be moved forward. */
  ownClock: boolean;
};

const ether = { symbol: "ETH", name: "Ether", decimals: 18 };
const multicall3 = getAddress("0xca11bde05977b3631167028862be2a173976ca11");
const shared = { native: ether, nativeContracts: [], multicall3, ownClock: false };
const legacyEther: Address = "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000";

/** Every chain that a portfolio may include, by the slug with which clients name it. */
export const chains = {
  base: {
    ...shared,
    chainId: 8453,
    nativeContracts: [legacyEther],
    alchemyNetwork: "base-mainnet",
    activityBlocks: 2_000n,
  },
  ethereum: { ...shared, chainId: 1, alchemyNetwork: "eth-mainnet", activityBlocks: 1_000n },
  arbitrum: { ...shared, chainId: 42161, alchemyNetwork: "arb-mainnet", activityBlocks: 10_000n },
  optimism: {
    ...shared,
    chainId: 10,
    nativeContracts: [legacyEther],
    alchemyNetwork: "opt-mainnet",
    activityBlocks: 2_000n,
  },
  polygon: {
    ...shared,
    chainId: 137,
    native: { symbol: "POL", name: "POL", decimals: 18 },
    nativeContracts: ["0x0000000000000000000000000000000000001010"],
    alchemyNetwork: "polygon-mainnet",
    activityBlocks: 2_000n,
  },
  local: {
    ...shared,
    chainId: LOCAL_CHAIN_ID,
    alchemyNetwork: null,
    multicall3: null,
    activityBlocks: 10_000n,
    ownClock: true,
  },
} as const satisfies Record<string, Chain>;

export type ChainSlug = keyof typeof chains;
export type PublicChainSlug = Exclude<ChainSlug, "local">;

export const publicChainSlugs = [
  "base",
  "ethereum",
  "arbitrum",
  "optimism",
  "polygon",
] as const satisfies readonly PublicChainSlug[];

/** The environment variable that holds the RPC URLs of a chain: `base` is `RPC_URL_BASE`. */
export const rpcVariable = (slug: PublicChainSlug) => `RPC_URL_${slug.toUpperCase()}` as const;
