/** What a person who runs the command needs to hear, in a sentence; there is nothing else to see. */
export class Failure extends Error {
  override name = "Failure";
}

/** A command that was not written as it is to be; `--help` would say how. */
export class WrongUsage extends Failure {
  override name = "WrongUsage";
}

/** The innermost reason of an error, which is where fetch says what went wrong. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return "code" in error && error.message === "" ? String(error.code) : error.message;
}

/** What to say when a service can't be reached, or answers what Intentry would not. */
export const unreachable = (url: string, error: unknown) =>
  new Failure(`${url} does not answer as Intentry does (${reasonOf(error)}). Is it running? See intentry --help.`);
