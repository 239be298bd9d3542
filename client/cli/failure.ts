import { reasonOf } from "../src/error";

/** An expected failure. The command prints only its message, and with --json its code. */
export class Failure extends Error {
  override name = "Failure";

  constructor(
    message: string,
    /** A code of the service or the client, such as `not_found`. */
    readonly code: string,
  ) {
    super(message);
  }
}

/** An invalid command line. */
export class WrongUsage extends Failure {
  override name = "WrongUsage";

  constructor(message: string) {
    super(message, "invalid_input");
  }
}

/** The service can't be reached, or its response isn't one of Intentry. */
export const unreachable = (url: string, error: unknown) =>
  new Failure(
    `No valid response from ${url} (${reasonOf(error)}). Is Intentry running there? See intentry --help.`,
    "no_response",
  );
