import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { findProgram } from "./programs";

const server = findProgram("postgres");

/** The folder of an installed PostgreSQL: the server, and pg_dump, pg_restore and psql of its version. */
export const postgresPrograms = server && dirname(realpathSync(server));

/** Shell commands that select these programs and a database. */
export const onDatabase = (url: string): string => `export PATH="${postgresPrograms}:$PATH" DATABASE_URL="${url}"\n`;
