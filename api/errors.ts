/** Every status with which an operation can fail for a reason it knows. */
export type ErrorStatus = 400 | 404 | 413 | 503;

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

/** What was asked for is not there. */
export class NotFound extends OperationError {
  override name = "NotFound";
  readonly status = 404;
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
}
