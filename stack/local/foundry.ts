import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, chmod, constants, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createWalletClient, http, publicActions } from "viem";
import { freePorts } from "../roles/ports";
import { startChild, waitFor } from "../supervision/child";
import { cached, makeFolder } from "./cache";
import { box64, type Emulator, qemu } from "./emulators";

const run = promisify(execFile);
const require = createRequire(import.meta.url);

export type FoundryTool = "anvil" | "forge";

/** The tested version of foundry. Keep it equal to the optional dependency in package.json. */
const VERSION = "1.7.1";

/**
 * The expected archive digest of each platform package that we could verify. For other platforms, npm checks the archive
 * against the registry's integrity field only.
 */
const ARCHIVE_SHA512: Record<string, string> = {
  "anvil-linux-amd64": "+XmShybEaxfCrr0OUUZwYEy2OnYZt5pHH9TzBtLv3+VrK0O/ANuNSVEahqNhKHlgX7GRJ59383ofNhxkRWIYTg==",
  "forge-darwin-arm64": "PwvdcKxniBoIic163Gw8t7rIOfE8ZfV2mCM2WOXnGdsUbCJRvkqCWq4qidkUORbibhfiRTyw3991hMFL8/qEfw==",
  "forge-linux-amd64": "/HQddyTanVOJKgvilmZrf8VOf7mhvwrWb59W73w5W5flX7b6zNh9CR6hKZzJwiRRi5Sxk/JOFEYIeKsQx7Teqg==",
  "forge-win32-amd64": "WK+gWWlWYpgrsrKcle4hzV5k5TPoVE8acsnNnmckQhvcbcZBG2VukpkqFCJgOpPX1xuSYtskHTIhJbCx1w854w==",
};

/** No working binary is available. The message tells the user what to do. */
class FoundryUnavailable extends Error {
  override name = "FoundryUnavailable";
}

const platform = () => `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;

const binaryOf = (tool: FoundryTool) => (process.platform === "win32" ? `${tool}.exe` : tool);

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

/** Requires that an anvil mines a transaction. An emulator may print the version, and lack instructions of later code. */
async function requireMining(anvil: string): Promise<void> {
  const [port = 0] = await freePorts(1);
  const child = startChild({ name: "anvil", command: anvil, args: ["--port", String(port)] });
  const transport = http(`http://127.0.0.1:${port}`, { retryCount: 0 });
  const node = createWalletClient({ transport }).extend(publicActions);
  try {
    const [account = null, to] = await waitFor(child, "response", () => node.getAddresses());
    const hash = await node.sendTransaction({ account, to, value: 1n, chain: null });
    // The response may precede the block.
    await waitFor(child, "block", () => node.getTransactionReceipt({ hash }));
  } finally {
    await child.stop("SIGKILL");
  }
}

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
    const binary = join(dirname(manifest), "bin", binaryOf(tool));
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
  const binary = binaryOf(tool);
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
    await chmod(join(scratch, "bin", binary), 0o755);
  });
  return join(folder, "bin", binary);
}

const firstLine = (error: unknown) => {
  const text = error instanceof Error ? (error as { stderr?: string }).stderr || error.message : String(error);
  return text.trim().split("\n")[0] ?? "";
};

/**
 * Finds a working `anvil` or `forge`: on PATH, in an npm package of this platform, or downloaded to the cache. Does not change the system or need root.
 *
 * @example
 * const anvil = await findFoundry("anvil"); // "/usr/local/bin/anvil"
 */
export async function findFoundry(tool: FoundryTool): Promise<string> {
  const found = (await onPath(tool)) ?? (await inNodeModules(tool));
  if (found) return found;
  const launcher = join(cacheFolder(), `${tool}-on-arm64`);
  if ((await isExecutable(launcher)) && (await works(launcher))) return launcher;

  const attempts: [string, () => Promise<string>][] = [["npm", () => fetchPackage(tool, platform())]];
  if (platform() === "linux-arm64") {
    const emulated = async (emulator: Emulator) => emulator(launcher, await fetchPackage(tool, "linux-amd64"));
    attempts.push(["box64", () => emulated(box64)], ["qemu", () => emulated(qemu)]);
  }
  const failures: string[] = [];
  for (const [way, make] of attempts) {
    try {
      const made = await make();
      if (await works(made)) {
        if (tool === "anvil") await requireMining(made);
        return made;
      }
      failures.push(`${way}: ${made} does not run here`);
    } catch (error) {
      failures.push(`${way}: ${firstLine(error)}`);
    }
  }
  throw new FoundryUnavailable(
    `No working ${tool} for ${platform()}. Install foundry (https://getfoundry.sh), so that ${tool} is on PATH. Tried ${failures.join("; ")}.`,
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const tool = process.argv[2];
  if (tool !== "anvil" && tool !== "forge") {
    console.error("Usage: tsx stack/local/foundry.ts anvil|forge");
    process.exit(2);
  }
  try {
    console.log(await findFoundry(tool));
  } catch (error) {
    console.error(error instanceof FoundryUnavailable ? error.message : error);
    process.exit(1);
  }
}
