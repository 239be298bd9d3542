import type { TestProject } from "vitest/node";
import { startPostgres } from "../../stack/postgres/test-server";

declare module "vitest" {
  interface ProvidedContext {
    databaseServer: string;
  }
}

/** One PostgreSQL server for the whole run: the one that TEST_DATABASE_URL names, or one of our own. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) {
    project.provide("databaseServer", given);
    return undefined;
  }
  const server = await startPostgres();
  project.provide("databaseServer", server.url);
  return server.stop;
}
