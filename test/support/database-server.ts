import type { TestProject } from "vitest/node";
import { startPostgres } from "../../stack/local/postgres/test-server";
import { oncePerRun } from "./once-per-run";

declare module "vitest" {
  interface ProvidedContext {
    databaseServer: string;
  }
}

/** One PostgreSQL server for the whole run: TEST_DATABASE_URL, or a new one. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { started, release } = oncePerRun("database server", async () => {
    const given = process.env.TEST_DATABASE_URL;
    if (given) return { value: given, stop: async () => {} };
    const { url, stop } = await startPostgres();
    return { value: url, stop };
  });
  project.provide("databaseServer", await started);
  return release;
}
