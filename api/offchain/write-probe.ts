/**
 * A write that leaves nothing behind: it extends a file and commits a transaction. An update of a row would not need space,
 * and succeed on a full disk.
 */
export const WRITE_PROBE = "CREATE TEMPORARY TABLE write_probe ON COMMIT DROP AS SELECT 1 AS probe";

/** Whether an error of the database's driver, or its cause, says that the disk is full (SQLSTATE 53100). */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "53100") || isDiskFull(error.cause);
}

/** Whether the role may not create temporary tables (SQLSTATE 42501). Then the probe says nothing. */
export function isProbeForbidden(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && error.code === "42501") || isProbeForbidden(error.cause);
}
