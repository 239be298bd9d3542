import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { copyProject, type ProjectCopy } from "../support/project-copy";

describe("npm run bench in a checkout without a build", () => {
  let copy: ProjectCopy;
  beforeAll(async () => {
    copy = await copyProject(["bench", join("test", "support")]);
  });
  afterAll(() => copy.remove());

  const bench = (...args: string[]) =>
    promisify(execFile)(process.execPath, ["--import", "tsx", join("bench", "run.ts"), ...args], { cwd: copy.root });
  const isBuilt = () => existsSync(join(copy.root, "dist", "current", "gateway.js"));

  it("lists the benchmarks without building", async () => {
    await expect(bench("unknown")).rejects.toThrow("npm run bench <name>");
    expect(isBuilt()).toBe(false);
  });

  it("builds the programs that the benchmark starts", async () => {
    await expect(bench("reads", "--unknown-option")).rejects.toThrow("Unknown option '--unknown-option'");
    expect(isBuilt()).toBe(true);
  });
});
