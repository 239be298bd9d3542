import type { ErrorCode } from "./error-codes";

/** The HTTP statuses of expected failures. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 429 | 500 | 503;

/** An expected failure. The client receives its message. Any other error becomes a 500 without details. */
export abstract class OperationError extends Error {
  abstract readonly status: ErrorStatus;
  abstract readonly code: ErrorCode;
}

/** Invalid input. Each problem starts with the name of the parameter. */
export class BadInput extends OperationError {
  override name = "BadInput";
  readonly status = 400;
  readonly code = "invalid_input";

  constructor(...problems: string[]) {
    super(problems.join("; "));
  }
}

/** The request has no valid token. */
export class Unauthorized extends OperationError {
  override name = "Unauthorized";
  readonly status = 401;
  readonly code = "unauthorized";
}

/** The operation is disabled on this deployment, or for this client. */
export class Forbidden extends OperationError {
  override name = "Forbidden";
  readonly status = 403;
  readonly code = "forbidden";
}

/** The input conflicts with the stored or indexed state. */
export class Conflict extends OperationError {
  override name = "Conflict";
  readonly status = 409;
  readonly code = "conflict";

  constructor(
    message: string,
    /** Further fields of the response, which the operation declares as `conflict`. */
    readonly details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message);
  }
}

/** The client exceeded a rate limit or quota. */
export class TooMany extends OperationError {
  override name = "TooMany";
  readonly status = 429;
  readonly code = "rate_limited";

  constructor(
    message: string,
    readonly retryAfterSeconds: number,
    /** Requests per window, for a rate limit. Unset for other quotas. */
    readonly limit?: number,
  ) {
    super(message);
  }
}

/** Another request is doing the same work. A retry returns its result. */
export class InProgress extends OperationError {
  override name = "InProgress";
  readonly status = 409;
  readonly code = "in_progress";

  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** The resource does not exist. */
export class NotFound extends OperationError {
  override name = "NotFound";
  readonly status = 404;
  readonly code = "not_found";
}

/** The resource existed, or may have existed, and is no longer available. */
export class Gone extends OperationError {
  override name = "Gone";
  readonly status = 410;
  readonly code = "gone";
}

/** The payload exceeds its size limit. */
export class TooLarge extends OperationError {
  override name = "TooLarge";
  readonly status = 413;
  readonly code = "too_large";
}

/** A dependency is unavailable. The client can retry. */
export class Unavailable extends OperationError {
  override name = "Unavailable";
  readonly status = 503;
  readonly code: ErrorCode = "unavailable";
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, { retryAfterSeconds, ...options }: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A payment was submitted, and its outcome is not known yet. A retry with the same payment is not charged again. */
export class PaymentUnknown extends Unavailable {
  override name = "PaymentUnknown";
  override readonly code = "payment_unknown";
}
