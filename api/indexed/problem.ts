/** Why the database could not serve a request. */
export type DatabaseProblem = "unavailable" | "read-only" | "locked" | "slow" | "no-index";

/** A Unix socket that does not exist. Without `connect`, the missing file is not the database. */
const isMissingSocket = (error: Error, code: string) =>
  code === "ENOENT" && "syscall" in error && error.syscall === "connect";

/** Socket errors, and PostgreSQL's classes 08 (connection), 53 (resources) and 57P (shutdown). */
const unavailableCode =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|08...|53...|57P..)$/;
/** Errors of pg and its pool, which have no code. A pool is closed when the process stops. */
const unavailableMessage =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection|Client was closed|Cannot use a pool after calling end)/;

/**
 * By SQLSTATE: read_only_sql_transaction; lock_not_available, deadlock_detected, serialization_failure; query_canceled, also by a
 * statement timeout; undefined_table, invalid_schema_name.
 */
const problems: Readonly<Record<string, DatabaseProblem>> = {
  "25006": "read-only",
  "55P03": "locked",
  "40P01": "locked",
  "40001": "locked",
  "57014": "slow",
  "42P01": "no-index",
  "3F000": "no-index",
};

/**
 * Classifies a database driver error, or its cause. The store's tables are migrated before use, so a missing table or
 * schema belongs to the index.
 */
export function databaseProblemOf(error: unknown): DatabaseProblem | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = "code" in error ? String(error.code) : "";
  if (unavailableCode.test(code) || isMissingSocket(error, code) || unavailableMessage.test(error.message))
    return "unavailable";
  return (Object.hasOwn(problems, code) ? problems[code] : undefined) ?? databaseProblemOf(error.cause);
}
