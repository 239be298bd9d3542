import { INDEX_BLOCK, INDEX_STATUS } from "./index-headers";

/** Response headers that scripts of other origins may read. */
export const EXPOSED_HEADERS = [
  ...["etag", "x-request-id", "retry-after", "ratelimit", "www-authenticate", "allow"],
  ...[INDEX_BLOCK, INDEX_STATUS],
  ...["payment-required", "payment-response", "x-payment-response"],
];
