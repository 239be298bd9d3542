import type { TestProject } from "vitest/node";
import { oncePerRun } from "./once-per-run";
import { startPostgres } from "./postgres-server";

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
