/** The name of an on-chain bid over all intents. */
export const onchainBidId = (intentId: bigint, bidId: bigint) => `${intentId}-${bidId}`;
