import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { isBusy } from "../support/npm-start";

const start = `
  const { startPostgres } = await import("./test/support/postgres-server.ts");
  console.log(new URL((await startPostgres()).url).port);
  setInterval(() => {}, 1_000);
`;

it.each(["SIGINT", "SIGKILL"] as const)(
  "the server of a benchmark that gets %s ends, and its data is removed",
  async (signal) => {
    const folder = await mkdtemp(join(tmpdir(), "intentry-interrupted-"));
    await chmod(folder, 0o711);
    const benchmark = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "--eval", start], {
      env: { ...process.env, TMPDIR: folder },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [port] = await once(createInterface({ input: benchmark.stdout }), "line");
    const folders = async () => (await readdir(folder)).filter((name) => name.startsWith("intentry-postgres-"));
    expect(await folders()).toHaveLength(1);
    expect(await isBusy(port)).toBe(true);
    benchmark.kill(signal);
    await expect.poll(folders).toEqual([]);
    expect(await isBusy(port)).toBe(false);
    await rm(folder, { recursive: true });
  },
);
