import { DatabaseError } from "pg";

/** Whether a query failed because a table does not exist yet (SQLSTATE 42P01). */
export const isMissingTable = (error: unknown): boolean => error instanceof DatabaseError && error.code === "42P01";
