import { type SQL, sql } from "drizzle-orm";

/** A text of our own code as a literal in a statement. Unlike a parameter, the planner knows its value. */
export const textLiteral = (text: string): SQL => sql.raw(`'${text.replaceAll("'", "''")}'`);
