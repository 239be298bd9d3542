import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FOREIGN, type OldVersion, startOldVersion } from "./upgraded-index";

describe("an upgrade of the schema on an existing database", () => {
  let running: OldVersion;

  beforeAll(async () => {
    running = await startOldVersion();
  });
  afterAll(() => running?.stop());

  it("starts with a changed schema, which the old build can't serve", async () => {
    const { index, register, query, builds, status, versionWith, expectStoreUntouched } = running;
    const [old] = await builds();
    await index.stopIndexer();
    await register("second");
    const root = await versionWith("src/schema/agents.ts", (text) =>
      text.replace("agentId: t.bigint().primaryKey(),", "agentId: t.bigint().primaryKey(),\n    note: t.text(),"),
    );
    await index.startIndexer({}, { root });
    expect(await status("/agents/2")).toBe(200);
    await expect.poll(builds, { timeout: 150_000 }).not.toContain(old);
    const columns = await query("SELECT table_schema FROM information_schema.columns WHERE column_name = 'note'");
    expect(columns.map(({ table_schema }) => table_schema)).toContain((await builds())[0]);
    expect(await query(`SELECT FROM pg_namespace WHERE nspname = '${FOREIGN}'`)).toHaveLength(1);
    await expectStoreUntouched();
  });
});
