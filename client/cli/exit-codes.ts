/** The exit codes, besides 0 for success and 1 for any other failure, with the error codes that lead to them. */
export const exitCodes = [
  {
    exit: 2,
    when: "the command line or the input is invalid",
    codes: ["invalid_input", "malformed_request", "too_large", "headers_too_large", "unsupported_media_type"],
  },
  { exit: 3, when: "the resource does not exist", codes: ["not_found", "unknown_route", "gone"] },
  {
    exit: 4,
    when: "the service can't be reached, or is currently unavailable",
    codes: [
      "no_response",
      "unexpected_response",
      "unavailable",
      "rate_limited",
      "request_timeout",
      "in_progress",
      "upstream_failed",
    ],
  },
  {
    exit: 5,
    when: "a payment is required, was declined or was rejected",
    codes: ["payment_required", "payer_missing", "payment_declined", "payment_rejected"],
  },
] as const satisfies readonly { exit: number; when: string; codes: readonly string[] }[];

/** The exit code of a failure with this error code. */
export const exitCodeOf = (code: string): number =>
  exitCodes.find(({ codes }) => codes.some((one) => one === code))?.exit ?? 1;
