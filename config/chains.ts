import { type Address, getAddress } from "viem";
import { LOCAL_CHAIN_ID } from "./networks";

/** The static parameters of a chain for portfolios. */
export type Chain = {
  chainId: number;
  native: { symbol: string; name: string; decimals: number };
  /** Contracts that report the native balance as a token balance. They are excluded, so that it is counted once. */
  nativeContracts: readonly Address[];
  /** Alchemy's name of the chain. Null if Alchemy does not support it. */
  alchemyNetwork: string | null;
  /** The address of Multicall3. Null if it is not deployed. */
  multicall3: Address | null;
  /** How many of the newest blocks are searched for transfers. Public RPC nodes limit the range of one request. */
  activityBlocks: bigint;
  /** Whether block time can differ from real time. The local chain mines only on demand, and its time can be moved. */
  ownClock: boolean;
};

const ether = { symbol: "ETH", name: "Ether", decimals: 18 };
const multicall3 = getAddress("0xca11bde05977b3631167028862be2a173976ca11");
const shared = { native: ether, nativeContracts: [], multicall3, ownClock: false };
const legacyEther: Address = "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0000";

/** The chains that portfolios support, by the slug that clients send. */
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

/** The name of the environment variable for a chain's RPC URLs, such as `RPC_URL_BASE` for `base`. */
export const rpcVariable = (slug: PublicChainSlug) => `RPC_URL_${slug.toUpperCase()}` as const;
