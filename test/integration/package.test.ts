import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Hex, keccak256, stringToBytes } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Stack, startStack } from "./stack";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a command and returns its output. The error of a failure or timeout contains the output. */
async function run(command: string, args: readonly string[], cwd: string, timeout = 0): Promise<string> {
  try {
    return (await promisify(execFile)(command, args, { cwd, maxBuffer: 2 ** 26, timeout })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

/** Runs a script of package.json like npm, which itself takes seconds of CPU. */
async function runScript(name: "build" | "check:package"): Promise<string> {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return run("sh", ["-c", `PATH="${join(root, "node_modules", ".bin")}:$PATH"; ${scripts[name]}`], root);
}

const compilerOptions = {
  target: "ES2022",
  module: "NodeNext",
  moduleResolution: "NodeNext",
  lib: ["ES2023", "DOM"],
  types: [],
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  // viem's own declarations do not compile with 5.4.
  skipLibCheck: true,
};

/** TypeScript packages of the project: the oldest supported version, and the newest. */
const compilers = { "typescript-5.4": "npm:typescript@5.4.5", typescript: "7.0.2" } as const;

describe("the package, installed from its tarball into an empty project", () => {
  let stack: Stack;
  let project: string;

  beforeAll(async () => {
    const starting = startStack({ sample: true, tokens: true });
    starting.catch(() => {});
    await runScript("build");
    project = await mkdtemp(join(tmpdir(), "intentry-package-"));
    await run("npm", ["pack", "--pack-destination", project], join(root, "client"));
    const [tarball = ""] = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
    const { peerDependencies } = JSON.parse(await readFile(join(root, "client", "package.json"), "utf8"));
    const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    expect(Object.keys(peerDependencies)).toEqual(["viem"]);
    await writeFile(
      join(project, "package.json"),
      JSON.stringify({
        type: "module",
        dependencies: { intentry: `file:${tarball}`, viem: dependencies.viem },
        devDependencies: compilers,
      }),
    );
    await writeFile(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["agent.ts", "wrong.ts"] }),
    );
    await cp(join(root, "examples", "agent.ts"), join(project, "agent.ts"));
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"], project);
    stack = await starting;
  }, 600_000);
  afterAll(async () => {
    await stack?.stop();
    await rm(project, { recursive: true, force: true });
  });

  it("passes npm run check:package", async () => {
    await runScript("check:package");
  }, 120_000);

  it.each(Object.keys(compilers))(
    "has types that %s accepts in strict mode",
    async (compiler) => {
      const wrong = `import { createIntentryClient } from "intentry/client";
      const agent = await createIntentryClient({ url: "" }).agents.get.query({ agentId: "1" });
      export const id: string = agent.agent_ID;`;
      await writeFile(join(project, "wrong.ts"), wrong);
      // It compiles both files, and reports only the error in wrong.ts.
      const tsc = run(process.execPath, [join("node_modules", compiler, "bin", "tsc"), "--outDir", "built"], project);
      const printed = await tsc.then(
        () => "",
        (error: Error) => error.message,
      );
      expect(printed.match(/^\S+\.ts\(\d+,.*$/gm)).toEqual([expect.stringMatching(/^wrong\.ts\(3,.*agent_ID/)]);
    },
    180_000,
  );

  it("runs the complete agent example, which has under 100 lines", async () => {
    const source = await readFile(join(project, "agent.ts"), "utf8");
    expect(source.trim().split("\n").length).toBeLessThan(100);
    const args = [join("built", "agent.js"), stack.apiUrl, stack.chain.rpcUrl];
    const printed = await run(process.execPath, args, project, 100_000);
    const { id, events, transaction, catalog } = JSON.parse(printed.trim().split("\n").at(-1) ?? "") as {
      id: string;
      events: string[];
      transaction: Hex;
      catalog: Hex;
    };
    expect(events[0]).toBe("AgentRegistered");
    expect(events).toEqual(expect.arrayContaining(["IntentSubmitted", "SolverBidSelected", "IntentFilled"]));
    expect(await stack.read("IntentBook", "getIntentStatus", [BigInt(id)])).toBe(1);
    expect((await stack.client.getTransactionReceipt({ hash: transaction })).status).toBe("success");
    const published = await (await fetch(`${stack.apiUrl}/catalogs/${catalog}`)).text();
    expect(keccak256(stringToBytes(published))).toBe(catalog);
  }, 120_000);

  it("includes the CLI", async () => {
    const bin = join("node_modules", ".bin", "intentry");
    const { agent_id } = JSON.parse(
      await run(bin, ["call", "agents.get", '{"agentId":"1"}', "--url", stack.apiUrl], project),
    );
    expect(agent_id).toBe("1");
    expect(await run(bin, ["--help"], project)).toContain("intentry call");
    await expect(run(bin, ["start"], project)).rejects.toThrow("checkout");
  }, 60_000);
});
