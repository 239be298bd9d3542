// The exported functions that need viem. They are built as a file of their own, so that a bundle without them has no viem.

export { anyExecution, intentHash, type SignableIntent } from "../../common/intent";
export { type QuoteCommitment, quoteHash } from "../../common/quote-hash";
export { documentHash } from "./documents";
export { type EvidenceDocument, type FulfillmentEvidence, fulfillmentEvidence } from "./evidence";
export { type IntentBook, type Signer, type SubmitIntentArguments, signIntent } from "./intents";
