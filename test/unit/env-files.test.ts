import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { describeSources, loadEnvFiles } from "../../config/env-files";

describe("files with settings", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "intentry-settings-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("are .env.local and .env; the environment takes precedence, then .env.local", async () => {
    await writeFile(join(folder, ".env.local"), "API_PORT=1\nLOG_LEVEL=debug\n");
    await writeFile(join(folder, ".env"), 'LOG_LEVEL=warn\nDATABASE_URL="postgres://user:secret@host/name"\nOTHER=x\n');
    const env: NodeJS.ProcessEnv = { API_PORT: "2", HOME: "/home" };
    const sources = loadEnvFiles(folder, env);
    expect(env).toEqual({
      API_PORT: "2",
      HOME: "/home",
      LOG_LEVEL: "debug",
      DATABASE_URL: "postgres://user:secret@host/name",
      OTHER: "x",
    });
    expect(describeSources(sources)).toBe(
      "Settings: API_PORT (environment), LOG_LEVEL (.env.local), DATABASE_URL (.env)",
    );
  });

  it("are optional", () => {
    const env: NodeJS.ProcessEnv = { HOME: "/home" };
    expect(describeSources(loadEnvFiles(folder, env))).toBe("Settings: all at their defaults");
    expect(env).toEqual({ HOME: "/home" });
  });
});
