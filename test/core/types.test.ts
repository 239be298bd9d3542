import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");

it("the client's types are those of the operations, and its documented calls compile (tsc)", async () => {
  const tsc = join(root, "node_modules", "typescript-7", "bin", "tsc");
  const run = promisify(execFile)(process.execPath, [
    tsc,
    "--noEmit",
    "--checkers",
    "1",
    "--project",
    join(root, "test", "types"),
  ]);
  const { stdout } = await run.catch(({ stdout }: { stdout: string }) => ({ stdout }));
  expect(stdout).toBe("");
}, 300_000);
