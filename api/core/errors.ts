/** Every status with which an operation can fail for a reason it knows. */
export type ErrorStatus = 400 | 401 | 403 | 404 | 409 | 410 | 413 | 429 | 500 | 503;

/** A failure with the sentence that the client gets. Anything else that is thrown is a fault of ours, and says nothing outside. */
export abstract class OperationError extends Error {
  abstract readonly status: ErrorStatus;
}

/** What was sent can't be served; each problem begins with the name of the parameter. */
export class BadInput extends OperationError {
  override name = "BadInput";
  readonly status = 400;

  constructor(...problems: string[]) {
    super(problems.join("; "));
  }
}

/** Who asks may not, without a token that this service knows. */
export class Unauthorized extends OperationError {
  override name = "Unauthorized";
  readonly status = 401;
}

/** This is not done on this chain. */
export class Forbidden extends OperationError {
  override name = "Forbidden";
  readonly status = 403;
}

/** What was sent contradicts what is there. */
export class Conflict extends OperationError {
  override name = "Conflict";
  readonly status = 409;
}

/** Who asks has had enough for now. */
export class TooMany extends OperationError {
  override name = "TooMany";
  readonly status = 429;

  constructor(
    message: string,
    readonly retryAfterSeconds: number,
    /** How many requests there may be, if it is requests that were too many. */
    readonly limit?: number,
  ) {
    super(message);
  }
}

/** The same is being done for another request just now; asking again shortly shows what came of it. */
export class InProgress extends OperationError {
  override name = "InProgress";
  readonly status = 409;

  constructor(
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** What was asked for is not there. */
export class NotFound extends OperationError {
  override name = "NotFound";
  readonly status = 404;
}

/** What was asked for was there once, or so it seems, and nothing is known of it any more. */
export class Gone extends OperationError {
  override name = "Gone";
  readonly status = 410;
}

/** What was sent is larger than it may be. */
export class TooLarge extends OperationError {
  override name = "TooLarge";
  readonly status = 413;
}

/** Something this service needs does not answer; asking again later may work. */
export class Unavailable extends OperationError {
  override name = "Unavailable";
  readonly status = 503;
  readonly retryAfterSeconds: number | undefined;

  constructor(message: string, { retryAfterSeconds, ...options }: ErrorOptions & { retryAfterSeconds?: number } = {}) {
    super(message, options);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
