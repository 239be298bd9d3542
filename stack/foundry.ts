import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, chmod, constants, mkdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { cached, makeFolder } from "./cache";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

export type FoundryTool = "anvil" | "forge";

/** The tested version of foundry. Keep it equal to the optional dependencies in package.json. */
const VERSION = "1.7.1";

/**
 * The expected archive digest of each platform package that we could verify. For other platforms, npm checks the archive
 * against the registry's integrity field only.
 */
const ARCHIVE_SHA512: Record<string, string> = {
  "anvil-linux-amd64": "+XmShybEaxfCrr0OUUZwYEy2OnYZt5pHH9TzBtLv3+VrK0O/ANuNSVEahqNhKHlgX7GRJ59383ofNhxkRWIYTg==",
  "forge-linux-amd64": "/HQddyTanVOJKgvilmZrf8VOf7mhvwrWb59W73w5W5flX7b6zNh9CR6hKZzJwiRRi5Sxk/JOFEYIeKsQx7Teqg==",
};

/** No working binary is available. The message tells the user what to do. */
class FoundryUnavailable extends Error {
  override name = "FoundryUnavailable";
}

const platform = () => `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;

const cacheFolder = () => cached(`foundry-${VERSION}`);

const isExecutable = (path: string) =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Whether the binary runs on this machine, tested with `--version`. */
const works = (path: string) =>
  run(path, ["--version"], { timeout: 60_000 }).then(
    () => true,
    () => false,
  );

async function onPath(tool: FoundryTool): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const candidate = resolve(folder, tool);
    // npm puts node_modules/.bin on the PATH of its scripts; foundry's own installer keeps its binaries in ~/.foundry.
    if (folder && !folder.includes("node_modules") && (await isExecutable(candidate)) && (await works(candidate)))
      return candidate;
  }
  const installed = join(homedir(), ".foundry", "bin", tool);
  return (await isExecutable(installed)) && (await works(installed)) ? installed : undefined;
}

async function inNodeModules(tool: FoundryTool): Promise<string | undefined> {
  try {
    const manifest = require.resolve(`@foundry-rs/${tool}-${platform()}/package.json`);
    const binary = join(dirname(manifest), "bin", process.platform === "win32" ? `${tool}.exe` : tool);
    // Packages unpacked with install scripts off may lack the executable bit.
    if (!(await isExecutable(binary))) await chmod(binary, 0o755);
    return (await works(binary)) ? binary : undefined;
  } catch {
    return undefined;
  }
}

/** Downloads a platform package from the npm registry into the cache and returns the binary's path. */
async function fetchPackage(tool: FoundryTool, packagePlatform: string): Promise<string> {
  const name = `${tool}-${packagePlatform}`;
  const folder = await makeFolder(join(cacheFolder(), name), async (scratch) => {
    const spec = `@foundry-rs/${name}@${VERSION}`;
    const { stdout } = await run("npm", ["pack", spec, "--silent", "--pack-destination", scratch], {
      timeout: 300_000,
    });
    const archive = join(scratch, stdout.trim().split("\n").at(-1) ?? "");
    const expected = ARCHIVE_SHA512[name];
    const actual = createHash("sha512")
      .update(await readFile(archive))
      .digest("base64");
    if (expected !== undefined && actual !== expected)
      throw new FoundryUnavailable(
        `${spec} from the registry does not match the pinned archive (its sha512 is ${actual}).`,
      );
    await run("tar", ["-xzf", archive, "-C", scratch, "--strip-components=1"]);
    await rm(archive);
    await chmod(join(scratch, "bin", tool), 0o755);
  });
  return join(folder, "bin", tool);
}

/** Downloads Debian packages of one architecture through a private apt state and unpacks them into `target`. */
async function unpackDebian(target: string, architecture: "amd64" | "arm64", packages: string[]): Promise<string> {
  return makeFolder(target, async (scratch) => {
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
    ].flatMap((option) => ["-o", option]);
    await run("apt-get", [...options, "-qq", "update"], { timeout: 300_000 });
    await run("apt-get", [...options, "-qq", "download", ...packages], { cwd: state, timeout: 300_000 });
    const { stdout } = await run("find", [state, "-maxdepth", "1", "-name", "*.deb"]);
    for (const archive of stdout.trim().split("\n")) await run("dpkg", ["-x", archive, scratch]);
    await rm(state, { recursive: true });
    await relinkLoader(scratch);
  });
}

/** Debian's amd64 loader is an absolute link. With qemu's -L it would resolve to the host's loader. */
async function relinkLoader(root: string): Promise<void> {
  const link = join(root, "lib64", "ld-linux-x86-64.so.2");
  const target = await readlink(link).catch(() => undefined);
  if (!target?.startsWith("/")) return;
  await rm(link);
  await symlink(join("..", target), link);
}

/** Fallback for linux-arm64 without a native build: the amd64 binary under qemu, with its libraries in the cache. */
async function underQemu(tool: FoundryTool): Promise<string> {
  const cache = cacheFolder();
  const binary = await fetchPackage(tool, "linux-amd64");
  const qemu = await unpackDebian(join(cache, "qemu"), "arm64", ["qemu-user-static"]);
  const libraries = await unpackDebian(join(cache, "amd64-libraries"), "amd64", ["libc6", "libgcc-s1", "libstdc++6"]);
  const launcher = join(cache, `${tool}-under-qemu`);
  const scratch = `${launcher}.${process.pid}`;
  const emulator = join(qemu, "usr", "bin", "qemu-x86_64-static");
  await writeFile(scratch, `#!/bin/sh\nexec '${emulator}' -L '${libraries}' '${binary}' "$@"\n`, { mode: 0o755 });
  await rename(scratch, launcher);
  return launcher;
}

const firstLine = (error: unknown) => {
  const text = error instanceof Error ? (error as { stderr?: string }).stderr || error.message : String(error);
  return text.trim().split("\n")[0] ?? "";
};

/**
 * Finds a working `anvil` or `forge`: on PATH, in the optional npm package of this platform, or downloaded to the cache.
 * Does not change the system or need root.
 *
 * @example
 * const anvil = await findFoundry("anvil"); // "/usr/local/bin/anvil"
 */
export async function findFoundry(tool: FoundryTool): Promise<string> {
  const { ANVIL_BIN, FORGE_BIN } = process.env;
  const override = { anvil: ANVIL_BIN, forge: FORGE_BIN }[tool];
  if (override) {
    if (await works(override)) return override;
    throw new FoundryUnavailable(
      `${tool.toUpperCase()}_BIN is ${override}, which does not run. Set it to the path of a working ${tool}, or unset it.`,
    );
  }
  const found = (await onPath(tool)) ?? (await inNodeModules(tool));
  if (found) return found;
  const launcher = join(cacheFolder(), `${tool}-under-qemu`);
  if ((await isExecutable(launcher)) && (await works(launcher))) return launcher;

  const attempts: [string, () => Promise<string>][] = [["npm", () => fetchPackage(tool, platform())]];
  if (platform() === "linux-arm64") attempts.push(["qemu", () => underQemu(tool)]);
  const failures: string[] = [];
  for (const [way, make] of attempts) {
    try {
      const made = await make();
      if (await works(made)) return made;
      failures.push(`${way}: ${made} does not run here`);
    } catch (error) {
      failures.push(`${way}: ${firstLine(error)}`);
    }
  }
  throw new FoundryUnavailable(
    `No working ${tool} for ${platform()}. Install foundry (https://getfoundry.sh) or set ${tool.toUpperCase()}_BIN to its path. Tried ${failures.join("; ")}.`,
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const tool = process.argv[2];
  if (tool !== "anvil" && tool !== "forge") {
    console.error("Usage: tsx stack/foundry.ts anvil|forge");
    process.exit(2);
  }
  try {
    console.log(await findFoundry(tool));
  } catch (error) {
    console.error(error instanceof FoundryUnavailable ? error.message : error);
    process.exit(1);
  }
}
