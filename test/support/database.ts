import { inject } from "vitest";
import { createDatabase, dropDatabase } from "./postgres-server";

export type TestDatabase = { url: string; drop: () => Promise<void> };

/** Creates an empty database. Default server: the one of this run. */
export async function createTestDatabase(
  name: string,
  server: string = inject("databaseServer"),
): Promise<TestDatabase> {
  const url = await createDatabase(server, name);
  return { url, drop: () => dropDatabase(server, url) };
}
