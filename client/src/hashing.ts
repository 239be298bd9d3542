// The exported functions that need viem. They are built as a file of their own, so that a bundle without them has no viem.
export { documentHash } from "./documents";
export { type EvidenceDocument, type FulfillmentEvidence, fulfillmentEvidence } from "./evidence";
export {
  anyExecution,
  type IntentBook,
  intentHash,
  type SignableIntent,
  type Signer,
  type SubmitIntentArguments,
  signIntent,
} from "./intents";
export { type QuoteCommitment, quoteHash } from "./quote-hash";
