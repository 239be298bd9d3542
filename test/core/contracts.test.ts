import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { findFoundry } from "../../stack/local/foundry";

const projectRoot = resolve(import.meta.dirname, "..", "..");

it("the contracts pass their own tests (forge test)", async () => {
  const run = promisify(execFile)(await findFoundry("forge"), ["test"], { cwd: projectRoot, maxBuffer: 2 ** 26 });
  const { stdout } = await run.catch(({ stdout, stderr }: { stdout: string; stderr: string }) => {
    throw new Error(`forge test failed:\n${stdout}\n${stderr}`);
  });
  expect(stdout).toMatch(/Ran \d+ test suites .* [1-9]\d* tests passed, 0 failed/);
}, 600_000);
