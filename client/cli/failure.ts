/** An expected failure. The command prints only its message. */
export class Failure extends Error {
  override name = "Failure";
}

/** An invalid command line. */
export class WrongUsage extends Failure {
  override name = "WrongUsage";
}

/** The message of the innermost cause, where fetch reports network errors. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  return "code" in error && error.message === "" ? String(error.code) : error.message;
}

/** The service can't be reached, or its response isn't one of Intentry. */
export const unreachable = (url: string, error: unknown) =>
  new Failure(`No valid response from ${url} (${reasonOf(error)}). Is Intentry running there? See intentry --help.`);
