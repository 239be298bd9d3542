import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";
import { onRequest, type RequestPaths } from "./once-per-run";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a command and returns its output. The error of a failure or timeout contains the output. */
export async function run(
  command: string,
  args: readonly string[],
  cwd: string,
  timeout = 0,
  withErrors = false,
): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 26, timeout });
    return withErrors ? stdout + stderr : stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Runs a script of package.json like npm, which itself takes seconds of CPU. */
export async function runScript(name: "check:package"): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return run("sh", ["-c", `PATH="${join(root, "node_modules", ".bin")}:$PATH"; ${scripts[name]}`], root, 0, true);
}

const compilerOptions = {
  target: "ES2022",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  lib: ["ES2023", "DOM"],
  types: ["node"],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  // viem's own declarations do not compile with 5.4.
  skipLibCheck: true,
};

/** The examples, which use the package as its users do, and the module that they share. */
const examples = ["agent", "solver", "merchant", "buyer", "local"];

/** TypeScript packages of the project: the oldest supported version, and the newest. */
export const compilers = { "typescript-5.4": "npm:typescript@5.4.5", typescript: "7.0.2" } as const;

/** The project with the installed package, and the path of its tarball. */
export type InstalledPackage = { project: string; tarball: string };

declare module "vitest" {
  interface ProvidedContext {
    installedPackage: RequestPaths;
  }
}

/** Packs the client, and installs the tarball into an empty project with the examples and the code of its README. */
async function install(folder: string): Promise<InstalledPackage> {
  await run(process.execPath, [join(root, "stack", "build.js"), "client"], root);
  const project = join(folder, "project");
  await mkdir(project);
  await run("npm", ["pack", "--pack-destination", project], join(root, "client"));
  const [tarball = ""] = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
  const { peerDependencies } = JSON.parse(await readFile(join(root, "client", "package.json"), "utf8"));
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  if (Object.keys(peerDependencies).join() !== "viem") throw new Error("The peer dependencies have changed");
  await writeFile(
    join(project, "package.json"),
    JSON.stringify({
      type: "module",
      dependencies: { intentry: `file:${tarball}`, viem: dependencies.viem },
      devDependencies: { ...compilers, "@types/node": devDependencies["@types/node"] },
    }),
  );
  await writeFile(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: [...examples.map((name) => `${name}.ts`), "readme.ts"] }),
  );
  for (const name of examples) await cp(join(root, "examples", `${name}.ts`), join(project, `${name}.ts`));
  const readme = await readFile(join(root, "client", "README.md"), "utf8");
  const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
  await writeFile(join(project, "readme.ts"), `${blocks.join("")}console.log(evidence.hash);\n`);
  await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"], project);
  return { project, tarball: join(project, tarball) };
}

/** Installs the package once for all files that ask for it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { started, release } = onRequest("installed package", async (folder) => ({
    content: await install(folder),
    stop: async () => {},
  }));
  project.provide("installedPackage", await started);
  return release;
}
