export { type Buyer, type BuyerOptions, buyer, type Purchase, UnansweredPayment } from "./buyer";
export {
  type MerchantActivity,
  type MerchantOptions,
  merchant,
  type OfferedService,
  type Order,
  type QuoteRequest,
  type RunningMerchant,
} from "./merchant";
export { type Rail, rails, type VerifiedQuote } from "./quote";
export { type FillProof, type Offer, type SolverActivity, type SolverOptions, solver } from "./solver";
export type { SwapOptions } from "./swap";
export type { Wallet } from "./wallet";
