/** The stable codes of errors: their status, and when they occur. Messages may change, codes don't. */
export const errorCodes = {
  invalid_input: { status: 400, meaning: "a parameter or the body is invalid" },
  malformed_request: { status: 400, meaning: "the request is not valid HTTP, or its URL or Host header is not valid" },
  unauthorized: { status: 401, meaning: "the request has no valid write token" },
  payment_required: { status: 402, meaning: "the request has no payment" },
  payment_rejected: { status: 402, meaning: "the payment is invalid or can't be settled, and was not charged" },
  forbidden: { status: 403, meaning: "the operation is disabled on this server" },
  not_found: { status: 404, meaning: "the resource does not exist" },
  unknown_route: { status: 404, meaning: "the path is not a route of the service" },
  method_not_allowed: { status: 405, meaning: "the path exists with other methods; see Allow" },
  request_timeout: { status: 408, meaning: "the request did not arrive in time" },
  conflict: { status: 409, meaning: "the input conflicts with the stored or indexed state" },
  in_progress: {
    status: 409,
    meaning: "another request with the same payment is in progress; retry after Retry-After",
  },
  gone: { status: 410, meaning: "the event id is unknown or expired" },
  too_large: { status: 413, meaning: "the body or document exceeds its size limit" },
  unsupported_media_type: { status: 415, meaning: "a tRPC or MCP request has a body of another type than JSON" },
  rate_limited: { status: 429, meaning: "a rate limit or quota is exceeded; retry after Retry-After" },
  headers_too_large: {
    status: 431,
    meaning: "the request line and headers are too long, or there are more than 1,000 headers",
  },
  internal_error: { status: 500, meaning: "an unexpected error; the log has the details" },
  upstream_failed: { status: 500, meaning: "the portfolio's providers failed on every chain; nothing was charged" },
  unavailable: { status: 503, meaning: "a dependency does not answer in time; retry after Retry-After" },
  payment_unknown: {
    status: 503,
    meaning: "the payment was submitted and may be charged; repeat the request with the same payment after Retry-After",
  },
} as const satisfies Record<string, { status: number; meaning: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** The body of an error response. A few operations have further fields beside these. */
export type ErrorBody = { error: string; code: ErrorCode };

export const errorBody = (code: ErrorCode, error: string, details?: Readonly<Record<string, unknown>>): ErrorBody => ({
  error,
  code,
  ...details,
});

const codes = Object.keys(errorCodes) as ErrorCode[];

/** The code for a status of a library, where the cause is not known. */
export const codeOfStatus = (status: number): ErrorCode =>
  codes.find((code) => errorCodes[code].status === status) ?? (status < 500 ? "invalid_input" : "internal_error");
