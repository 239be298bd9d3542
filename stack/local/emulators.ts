import { execFile } from "node:child_process";
import { mkdir, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { cached, makeFolder } from "./cache";

const run = promisify(execFile);

/** Writes a launcher that runs an amd64 program on linux-arm64. Returns its path. */
export type Emulator = (launcher: string, program: string) => Promise<string>;

type DebianPackages = {
  architecture: "amd64" | "arm64";
  packages: string[];
  /** A Debian release other than those in the machine's own list of sources. */
  release?: string;
};

/** Options of apt for one release of Debian. They work on Debian only, which has the keys of its archive. */
async function onlyRelease(state: string, release: string): Promise<string[]> {
  const sources = join(state, "sources.list");
  const keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
  await writeFile(sources, `deb [signed-by=${keys}] http://deb.debian.org/debian ${release} main\n`);
  return [`Dir::Etc::sourcelist=${sources}`, "Dir::Etc::sourceparts=/dev/null"];
}

/** Downloads Debian packages of one architecture through a private apt state and unpacks them into a folder of the cache. */
const unpackDebian = (name: string, { architecture, packages, release }: DebianPackages): Promise<string> =>
  makeFolder(cached(name), async (scratch) => {
    const state = join(scratch, ".apt");
    await mkdir(join(state, "lists", "partial"), { recursive: true });
    await mkdir(join(state, "cache", "archives", "partial"), { recursive: true });
    const options = [
      `Dir::State=${state}`,
      "Dir::State::status=/dev/null",
      `Dir::Cache=${join(state, "cache")}`,
      `APT::Architecture=${architecture}`,
      `APT::Architectures=${architecture}`,
      "APT::Sandbox::User=",
      ...(release === undefined ? [] : await onlyRelease(state, release)),
    ].flatMap((option) => ["-o", option]);
    await run("apt-get", [...options, "-qq", "update"], { timeout: 300_000 });
    await run("apt-get", [...options, "-qq", "download", ...packages], { cwd: state, timeout: 300_000 });
    const { stdout } = await run("find", [state, "-maxdepth", "1", "-name", "*.deb"]);
    for (const archive of stdout.trim().split("\n")) await run("dpkg", ["-x", archive, scratch]);
    await rm(state, { recursive: true });
    await relinkLoader(scratch);
  });

/** Debian's amd64 loader is an absolute link. With qemu's -L it would resolve to the host's loader. */
async function relinkLoader(root: string): Promise<void> {
  const link = join(root, "lib64", "ld-linux-x86-64.so.2");
  const target = await readlink(link).catch(() => undefined);
  if (!target?.startsWith("/")) return;
  await rm(link);
  await symlink(join("..", target), link);
}

/** What foundry's programs are linked with. */
const amd64Libraries = () =>
  unpackDebian("amd64-libraries", { architecture: "amd64", packages: ["libc6", "libgcc-s1", "libstdc++6"] });

async function writeLauncher(launcher: string, lines: string[]): Promise<string> {
  const scratch = `${launcher}.${process.pid}`;
  await writeFile(scratch, `#!/bin/sh\n${lines.join("\n")}\n`, { mode: 0o755 });
  await rename(scratch, launcher);
  return launcher;
}

/**
 * box64 takes a fifth of qemu's CPU. The version of Debian 13 lacks an instruction that anvil uses. The one of Debian 14 may
 * need a newer C library than the machine's, so it runs with that of Debian 14.
 *
 * A program may use one CPU only. If its threads run at the same time, its memory is corrupted: 16 of 150 runs of
 * `forge build` crashed, also with all barriers (`STRONGMEM=3`), and 0 of 100 on one CPU. Half of the
 * programs use the first CPU, the others the last.
 */
export const box64: Emulator = async (launcher, program) => {
  const root = await unpackDebian("box64", { architecture: "arm64", packages: ["box64", "libc6"], release: "forky" });
  const libraries = await amd64Libraries();
  const native = join(root, "usr", "lib", "aarch64-linux-gnu");
  const emulated = ["lib", join("usr", "lib")].map((folder) => join(libraries, folder, "x86_64-linux-gnu"));
  return writeLauncher(launcher, [
    "export BOX64_NOBANNER=1 BOX64_LOG=0 BOX64_NORCFILES=1 BOX64_DYNAREC_STRONGMEM=2",
    `export BOX64_LD_LIBRARY_PATH='${emulated.join(":")}'`,
    "cpus=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a parameter of the shell
    "if [ $(($$ % 2)) = 0 ]; then cpu=${cpus%%[-,]*}; else cpu=${cpus##*[-,]}; fi",
    `exec taskset -c "$cpu" '${join(native, "ld-linux-aarch64.so.1")}' --library-path '${native}' '${join(root, "usr", "bin", "box64")}' '${program}' "$@"`,
  ]);
};

export const qemu: Emulator = async (launcher, program) => {
  const root = await unpackDebian("qemu", { architecture: "arm64", packages: ["qemu-user-static"] });
  const libraries = await amd64Libraries();
  const emulator = join(root, "usr", "bin", "qemu-x86_64-static");
  return writeLauncher(launcher, [`exec '${emulator}' -L '${libraries}' '${program}' "$@"`]);
};
