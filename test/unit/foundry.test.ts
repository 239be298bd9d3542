import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it, vi } from "vitest";
import { box64 } from "../../stack/local/emulators";
import { findFoundry } from "../../stack/local/foundry";

/** Empty without a connection on a machine that has never run one. */
const anvil = await findFoundry("anvil").catch(() => "");

const box64Loader = join("box64", "usr", "lib", "aarch64-linux-gnu", "ld-linux-aarch64.so.1");

/** Writes a program of the cache that stands in for an emulator. */
async function writeProgram(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
}

describe("findFoundry", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  it.runIf(process.platform === "linux")("runs emulated programs on one CPU", async () => {
    const folder = await mkdtemp(join(tmpdir(), "intentry-foundry-"));
    vi.stubEnv("XDG_CACHE_HOME", folder);
    const cache = join(folder, "intentry");
    await mkdir(cache);
    await mkdir(join(cache, "amd64-libraries"));
    await writeProgram(join(cache, box64Loader), 'sed -n "s/^Cpus_allowed_list:[[:space:]]*//p" /proc/self/status');
    const launcher = await box64(join(cache, "launcher"), "any program");
    for (let run = 0; run < 4; run++) {
      const { stdout } = await promisify(execFile)(launcher);
      expect(stdout).toMatch(/^\d+\n$/);
    }
    await rm(folder, { recursive: true });
  });

  it.runIf(anvil.endsWith("-on-arm64"))("uses qemu if box64 can start anvil, but not run it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "intentry-foundry-"));
    vi.stubEnv("XDG_CACHE_HOME", folder);
    const cache = join(folder, "intentry");
    await mkdir(cache);
    const packages = dirname(anvil);
    await mkdir(join(cache, basename(packages)));
    await symlink(join(packages, "anvil-linux-amd64"), join(cache, basename(packages), "anvil-linux-amd64"));
    await mkdir(join(cache, "amd64-libraries"));
    await writeProgram(join(cache, box64Loader), 'for last; do :; done; [ "$last" = --version ]');
    await writeProgram(join(cache, "qemu", "usr", "bin", "qemu-x86_64-static"), `shift 3; exec '${anvil}' "$@"`);
    const found = await findFoundry("anvil");
    expect(await readFile(found, "utf8")).toContain("qemu-x86_64-static");
    expect(found).toBe(join(cache, basename(packages), "anvil-on-arm64"));
    await rm(folder, { recursive: true });
  });
});
