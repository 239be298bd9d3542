import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { indexFolder, storeFolder } from "../../config/embedded";
import { makeEmbeddedDatabases } from "../../stack/embedded-database";

describe("the embedded databases of a state folder", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "intentry-embedded-"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  it("are made empty, and one that is there already stays as it is", async () => {
    await makeEmbeddedDatabases(folder);
    const store = await PGlite.create(storeFolder(folder));
    await store.exec("CREATE TABLE kept (id int)");
    await store.close();
    rmSync(indexFolder(folder), { recursive: true });

    await makeEmbeddedDatabases(folder);
    const tablesIn = async (database: string) => {
      const opened = await PGlite.create(database);
      const { rows } = await opened.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
      await opened.close();
      return rows;
    };
    expect(await tablesIn(storeFolder(folder))).toEqual([{ tablename: "kept" }]);
    expect(await tablesIn(indexFolder(folder))).toEqual([]);
  });

  it("are left to PGlite where nothing can be kept for the next time", async () => {
    vi.stubEnv("INTENTRY_CACHE", join(process.execPath, "no folder"));
    await makeEmbeddedDatabases(folder);
    expect([indexFolder(folder), storeFolder(folder)].filter(existsSync)).toEqual([]);
  });
});
