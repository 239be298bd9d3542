/**
 * The functions that need viem, for the client's helpers, which import this module when they are called. It is built as a file
 * of its own that shares nothing with the client: bundlers load a module at once if anything imports it statically, and the
 * package also exports some of these functions.
 */

export { quoteHash } from "../../common/quote-hash";
export { documentHash } from "./documents";
export { signMetadata } from "./intent-metadata";
export { signIntent } from "./intents";
export { problemOfMessage, problemOfSubmission } from "./signed-intent";
