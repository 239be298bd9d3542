import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Hex, keccak256, stringToBytes, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freeCalls } from "../../api/operations/index";
import manifest from "../../client/package.json" with { type: "json" };
import { type Stack, startStack } from "../support/stack";
import { initialBytes } from "./package/bundle-size";
import { runMarket } from "./package/market";
import { quickInfos } from "./package/quick-info";

const { version: VERSION } = manifest;

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Runs a command and returns its output. The error of a failure or timeout contains the output. */
async function run(
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
async function runScript(name: "build" | "check:package"): Promise<string> {
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
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
    expect(Object.keys(peerDependencies)).toEqual(["viem"]);
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
      JSON.stringify({ compilerOptions, files: [...examples.map((name) => `${name}.ts`), "readme.ts", "wrong.ts"] }),
    );
    for (const name of examples) await cp(join(root, "examples", `${name}.ts`), join(project, `${name}.ts`));
    const readme = await readFile(join(root, "client", "README.md"), "utf8");
    const blocks = [...readme.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code);
    await writeFile(join(project, "readme.ts"), `${blocks.join("")}console.log(evidence.hash);\n`);
    await run("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline"], project);
    stack = await starting;
  }, 600_000);
  afterAll(async () => {
    await stack?.stop();
    await rm(project, { recursive: true, force: true });
  });

  it("passes npm run check:package, and npm would publish it unchanged", async () => {
    const printed = await runScript("check:package");
    expect(printed).toContain(`+ intentry@${VERSION}`);
    expect(printed).not.toMatch(/npm warn publish .*(cleaned|removed|invalid)/);
  }, 120_000);

  it("has the license, a README with the line that installs this version, and its repository", async () => {
    const installed = join(project, "node_modules", "intentry");
    expect(await readFile(join(installed, "LICENSE"), "utf8")).toBe(await readFile(join(root, "LICENSE"), "utf8"));
    expect(await readFile(join(installed, "README.md"), "utf8")).toContain(
      `npm install <path>/intentry-${VERSION}.tgz viem\n`,
    );
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    expect(manifest).toMatchObject({ repository: { directory: "client" }, version: VERSION });
    expect(Object.keys(manifest.exports)).toEqual([".", "./market", "./abis", "./package.json"]);
  });

  it("has a doc comment in editors for every export, helper and procedure", () => {
    const shown = quickInfos(project, "intentry");
    expect([...shown].filter(([, text]) => text === "")).toEqual([]);
    for (const { name } of freeCalls) expect(shown.keys()).toContain(name);
    expect(shown.get("intents.list")).toBe("Intents, newest first.");
    expect(shown.get("limit")).toMatch(/^Page size\./);
    expect(shown.get("limit of a direct call")).toMatch(/^Page size\./);
    expect(shown.get("a direct call")).toBe(shown.get("intents.list"));
    expect(shown.get("client.waitForIntent")).toMatch(/^Waits until an intent/);
  }, 60_000);

  it("has a doc comment in editors for every export of intentry/market", () => {
    const shown = quickInfos(project, "intentry/market");
    expect([...shown].filter(([, text]) => text === "")).toEqual([]);
    expect([...shown.keys()]).toEqual(expect.arrayContaining(["buyer", "merchant", "solver"]));
  }, 60_000);

  it("adds as much to a bundle that reads as the documentation says, with and without code splitting", async () => {
    const script = `import { createIntentryClient } from "intentry";
      createIntentryClient({ url: "http://localhost:3001" }).agents.get({ agentId: "1" }).then(console.log);`;
    const split = await initialBytes(project, script);
    expect(split.modules.filter((path) => /viem|x402|zod|noble/.test(path))).toEqual([]);
    const whole = await initialBytes(project, script, { splitting: false });
    for (const page of ["client/README.md", "docs/api.md"]) {
      const text = await readFile(join(root, page), "utf8");
      const [, withSplitting, without] =
        /has about (\d+) KB \(gzip\) with code splitting: .* Without code splitting it has about (\d+) KB\./.exec(
          text,
        ) ?? [];
      expect(Number(withSplitting), page).toBe(Math.round(split.bytes / 1000));
      // Minor versions of viem and x402 change it a little.
      expect(Math.abs(Number(without) - whole.bytes / 1000), `${page}: ${whole.bytes}`).toBeLessThan(5);
    }
  });

  it("has viem in a bundle that hashes", async () => {
    const { modules } = await initialBytes(project, 'export { documentHash } from "intentry";');
    expect(modules.join()).toContain("viem");
  });

  it.each(Object.keys(compilers))(
    "has types that %s accepts in strict mode",
    async (compiler) => {
      const wrong = `import { createIntentryClient } from "intentry";
      const agent = await createIntentryClient({ url: "" }).agents.get({ agentId: "1" });
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
    const found = (pattern: RegExp) => pattern.exec(printed)?.[1] ?? "";
    const id = found(/^Intent (\d+) is OPEN/m);
    expect(printed.match(/^live: .*$/gm)).toEqual([
      expect.stringContaining(`Intent #${id} submitted by `),
      expect.stringContaining(`Bid #1 on intent #${id} by `),
      expect.stringContaining(`selected for intent #${id} by its owner`),
      expect.stringContaining(`Intent #${id} filled by `),
    ]);
    expect(await stack.read("IntentBook", "getIntentStatus", [BigInt(id)])).toBe(1);
    const hash = found(/paid for in (0x[0-9a-f]{64})/) as Hex;
    expect((await stack.client.getTransactionReceipt({ hash })).status).toBe("success");
    const catalog = found(/catalogs\/(0x[0-9a-f]{64})/);
    const published = await (await fetch(`${stack.apiUrl}/catalogs/${catalog}`)).text();
    expect(keccak256(stringToBytes(published))).toBe(catalog);
  }, 120_000);

  it("runs a market of the solver, merchant and buyer examples for 30 s without an error", async () => {
    const { apiUrl, chain } = stack;
    const market = await runMarket({ folder: join(project, "built"), apiUrl, rpcUrl: chain.rpcUrl, seconds: 30 });
    expect(market.errors).toEqual([]);
    const { bought } = market;
    expect(bought.slice(0, 4).map(({ rail }) => rail)).toEqual(["transfer", "swap", "facilitator", "x402"]);
    const paid = { 0: "transfer", 1: "swap", 2: "facilitator", 3: "x402" } as const;
    for (const { rail, receipt_id } of bought) {
      const receipt = await stack.read("CommerceRegistry", "getReceipt", [BigInt(receipt_id)]);
      expect(receipt.amount).toBe(500_000n);
      expect(paid[receipt.paymentRail as keyof typeof paid]).toBe(rail);
      expect(receipt.fulfillmentHash).not.toBe(zeroHash);
      expect((await stack.read("CommerceRegistry", "getQuote", [receipt.quoteHash])).settled).toBe(true);
      const evidence = await (await fetch(`${apiUrl}/fulfillment-evidence/${receipt.fulfillmentHash}`)).json();
      expect(evidence).toMatchObject({ type: "delivery", receipt_id });
    }
    const { merchantId } = await stack.read("CommerceRegistry", "getReceipt", [BigInt(bought[0]?.receipt_id ?? 0)]);
    const { payoutAddress } = await stack.read("CommerceRegistry", "getMerchant", [merchantId]);
    const income = await stack.read("TestDollar", "balanceOf", [payoutAddress]);
    expect(income).toBe(BigInt(bought.length) * 500_000n);
    const filled = market.solver.flatMap((line) => /^Filled intent (\d+) in/.exec(line)?.[1] ?? []);
    expect(filled).toHaveLength(bought.filter(({ rail }) => rail === "swap").length);
    for (const id of filled) expect(await stack.read("IntentBook", "getIntentStatus", [BigInt(id)])).toBe(1);
    // The solver has registered, so its fills count.
    const [, solverId] = /^Solver (\d+) bids on/.exec(market.solver[0] ?? "") ?? [];
    expect(await (await fetch(`${apiUrl}/solvers/${solverId}`)).json()).toMatchObject({
      successful_fills: String(filled.length),
      failed_fills: "0",
    });

    // A merchant that starts again, at another address, is found by its old id.
    const again = await runMarket({ folder: join(project, "built"), apiUrl, rpcUrl: chain.rpcUrl, seconds: 0 });
    expect(again.errors).toEqual([]);
    const merchantOf = async (purchases: readonly { receipt_id: string }[]) => {
      const id = BigInt(purchases.at(-1)?.receipt_id ?? 0);
      return (await stack.read("CommerceRegistry", "getReceipt", [id])).merchantId;
    };
    expect(await merchantOf(again.bought)).toBe(await merchantOf(bought));
  }, 300_000);

  it("runs the guide of its README", async () => {
    const built = join(project, "built", "readme.js");
    const code = await readFile(built, "utf8");
    await writeFile(built, code.replaceAll("http://localhost:3001", stack.apiUrl));
    const printed = (await run(process.execPath, [built], project, 60_000)).trim().split("\n");
    expect(printed).toContain("Agent 999 not found");
    const hash = printed.at(-1);
    expect(await (await fetch(`${stack.apiUrl}/fulfillment-evidence/${hash}`)).json()).toMatchObject({
      receipt_id: "1",
    });
  }, 90_000);

  it("includes the CLI", async () => {
    const bin = join("node_modules", ".bin", "intentry");
    const { agent_id } = JSON.parse(
      await run(bin, ["call", "agents.get", '{"agentId":"1"}', "--url", stack.apiUrl], project),
    );
    expect(agent_id).toBe("1");
    expect(await run(bin, ["--help"], project)).toContain("intentry call");
    await expect(run(bin, ["start"], project)).rejects.toThrow("checkout");
  }, 60_000);

  it("runs with npx from its tarball, in an empty folder", async () => {
    const [tarball = ""] = (await readdir(project)).filter((name) => name.endsWith(".tgz"));
    const empty = await mkdtemp(join(tmpdir(), "intentry-npx-"));
    try {
      // Its dependencies were installed before, so they are in npm's cache. viem is a peer: npm would install the newest one.
      const { dependencies } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
      const packages = ["--package", join(project, tarball), "--package", `viem@${dependencies.viem}`];
      const npx = ["exec", "--yes", "--prefer-offline", "--ignore-scripts", ...packages, "--"];
      const called = ["intentry", "call", "agents.get", "agentId=1", "--url", stack.apiUrl];
      expect(JSON.parse(await run("npm", [...npx, ...called], empty))).toMatchObject({ agent_id: "1" });
      const followed = ["intentry", "events", "from_block=0", "--limit", "1", "--url", stack.apiUrl];
      const lines = (await run("npm", [...npx, ...followed], empty)).trim().split("\n");
      expect(lines.map((line) => JSON.parse(line).type)).toContain("event");
    } finally {
      await rm(empty, { recursive: true, force: true });
    }
  }, 180_000);
});
