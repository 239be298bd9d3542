import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Abi, Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { actor } from "../../stack/local/chain";
import { query } from "../../stack/local/postgres/cluster";
import { examplesIn, runExample } from "../support/npm-start";
import { copyProject, type ProjectCopy } from "../support/project-copy";
import { type Stack, startStack } from "../support/stack";

const projectRoot = resolve(import.meta.dirname, "..", "..");
const page = readFileSync(join(projectRoot, "docs", "contributing.md"), "utf8")
  // A block in a list is indented.
  .replaceAll(/^( +)```[\s\S]*?^\1```/gm, (block, indent: string) =>
    block.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );

/** The code blocks of the guide that name the file to which they belong. */
const blocks = [...page.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = "", text = ""]) => ({
  file,
  text,
}));
/** The shell blocks without a request. */
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
  .map(([, text = ""]) => text)
  .filter((text) => !text.includes("curl"));

/** The request of the guide, with its documented response. */
const [example] = examplesIn(page);

type Place = { before: string } | { after: string };

/** Where the blocks of each file are inserted, in the order of the guide: before or after this text. */
const places: Readonly<Record<string, readonly Place[]>> = {
  "api/operations/solvers.ts": [{ before: "export const solvers = { " }, { after: "export const solvers = { " }],
  "test/core/lists/orders.ts": [{ before: '  "agents.list":' }],
  "contracts/src/AgentRegistry.sol": [{ before: "    /// @notice The agent with this id, revoked or not.\n" }],
  "src/schema/agents.ts": [{ after: "capabilitiesHash: hex(t).notNull(),\n" }],
  "src/agents.ts": [{ after: 'export const agents: Handlers<"AgentRegistry"> = {\n' }],
  "api/events/describe-event.ts": [{ before: "  AgentRevoked: (" }],
  "api/operations/actions/registries.ts": [{ after: "export const registryActions = {\n" }],
  "config/variables/processes.ts": [{ before: "    API_HOST: {\n" }],
  "api/offchain/tables.ts": [{ before: "/** Published JSON documents." }],
};

/** A file with a block of the guide in its place. Imports of the block go to the top. */
function withBlock(text: string, block: string, place: Place): string {
  const imports = block.match(/^import .*\n/gm)?.join("") ?? "";
  const rest = block.replaceAll(/^import .*\n/gm, "");
  const at = "before" in place ? place.before : place.after;
  if (text.split(at).length !== 2) throw new Error(`The file does not have one ${JSON.stringify(at)}`);
  return imports + text.replace(at, () => ("before" in place ? rest + at : at + rest));
}

const Compiled = z.object({
  contracts: z.object({
    "AgentRegistry.sol": z.object({
      AgentRegistry: z.object({
        abi: z.custom<Abi>(Array.isArray),
        evm: z.object({ deployedBytecode: z.object({ object: z.string().min(1) }) }),
      }),
    }),
  }),
});

/** Compiles the contract, as `npm run generate` does. */
async function compileContract(root: string): Promise<{ abi: Abi; code: Hex }> {
  const compiler = execFile(process.execPath, [join(projectRoot, "scripts", "solc.cjs"), "--standard-json"], {
    maxBuffer: 2 ** 26,
  });
  const chunks: string[] = [];
  compiler.stdout?.on("data", (chunk: string) => chunks.push(chunk));
  const ended = new Promise((resolveEnd) => compiler.once("close", resolveEnd));
  compiler.stdin?.end(
    JSON.stringify({
      language: "Solidity",
      sources: {
        "AgentRegistry.sol": { content: await readFile(join(root, "contracts/src/AgentRegistry.sol"), "utf8") },
      },
      settings: {
        evmVersion: "cancun",
        outputSelection: { "*": { AgentRegistry: ["abi", "evm.deployedBytecode.object"] } },
      },
    }),
  );
  await ended;
  const { contracts } = Compiled.parse(JSON.parse(chunks.join("")));
  const { abi, evm } = contracts["AgentRegistry.sol"].AgentRegistry;
  return { abi, code: `0x${evm.deployedBytecode.object}` };
}

const run = promisify(execFile);

describe("the guide in docs/contributing.md", () => {
  let copy: ProjectCopy;
  let stack: Stack;
  let contract: { abi: Abi; code: Hex };

  beforeAll(async () => {
    copy = await copyProject(["contracts", "drizzle.config.ts", "stack", "test"]);
    const { root } = copy;
    for (const [file, ofFile] of Object.entries(places)) {
      const path = join(root, file);
      const texts = blocks.filter((block) => block.file === file).map(({ text }) => text);
      let changed = await readFile(path, "utf8");
      for (const [index, place] of ofFile.entries()) changed = withBlock(changed, texts[index] ?? "", place);
      await writeFile(path, changed);
    }
    contract = await compileContract(root);
    const abi = JSON.stringify(contract.abi);
    await writeFile(join(root, "abis/AgentRegistry.ts"), `export const agentRegistryAbi = ${abi} as const;\n`);
    for (const command of commands) await run("sh", ["-ec", command], { cwd: root });
    stack = await startStack({ sample: true, sources: { root } });
  }, 300_000);
  afterAll(async () => {
    await stack?.stop();
    await copy?.remove();
  });

  it("names the files of all blocks, and each of its commands is a script", () => {
    const files = Object.entries(places).flatMap(([file, ofFile]) => ofFile.map(() => file));
    expect(blocks.map(({ file }) => file).sort()).toEqual(files.sort());
    expect(page.match(/^```\w+.*$/gm)).toHaveLength(blocks.length + commands.length + 2);
    expect(commands).toHaveLength(1);
  });

  it("has code that compiles in its place (tsc)", async () => {
    const { root } = copy;
    const bin = (name: string) => join(projectRoot, "node_modules", ".bin", name);
    await run(bin("ponder"), ["codegen"], { cwd: root, env: { ...process.env, ...stack.env } });
    const include = [...blocks.map(({ file }) => file), "*.d.ts", "api/**/*.d.ts", "stack/**/*.d.ts"];
    await writeFile(
      join(root, "tsconfig.guide.json"),
      JSON.stringify({ extends: "./tsconfig.json", include: include.filter((file) => !file.endsWith(".sol")) }),
    );
    const tsc = join(projectRoot, "node_modules", "typescript-7", "bin", "tsc");
    const checked = run(process.execPath, [tsc, "--checkers", "1", "--project", "tsconfig.guide.json"], { cwd: root });
    const { stdout } = await checked.catch(({ stdout }: { stdout: string }) => ({ stdout }));
    expect(stdout).toBe("");
  }, 600_000);

  it("adds a read route, which REST, OpenAPI, tRPC and MCP serve", async () => {
    const { port } = new URL(stack.apiUrl);
    const ports = { API_PORT: port, PONDER_PORT: new URL(stack.ponderUrl).port };
    const response = await runExample(example?.command ?? "", ports);
    expect(response).toEqual(example?.answer);
    const { paths } = z
      .object({ paths: z.record(z.string(), z.unknown()) })
      .parse(await (await fetch(`${stack.apiUrl}/openapi.json`)).json());
    expect(paths).toHaveProperty("/fill-proofs");
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "solvers_fillProofs", arguments: {} } };
    const answer = await fetch(`${stack.apiUrl}/mcp`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(call),
    });
    expect(await answer.json()).toMatchObject({
      result: { structuredContent: { fill_proofs: [{ intent_id: "1" }, {}] } },
    });
    const unknown = await fetch(`${stack.apiUrl}/fill-proofs?intent_id=bob`);
    expect([unknown.status, await unknown.json()]).toMatchObject([400, { code: "invalid_input" }]);
  });

  it("adds an event, which is indexed and explained", async () => {
    const { client, contracts } = stack;
    await client.setCode({ address: contracts.AgentRegistry, bytecode: contract.code });
    const [{ owner = "", agentId = "" } = {}] = await stack.rows("agent");
    const account = Array.from({ length: 20 }, (_, index) => actor(index)).find(
      ({ address }) => address.toLowerCase() === owner,
    );
    if (!account) throw new Error(`No account of the chain owns agent ${agentId}`);
    const endpointHash: Hex = `0x${"5a".repeat(32)}`;
    const hash = await client.writeContract({
      account,
      abi: contract.abi,
      address: contracts.AgentRegistry,
      functionName: "setEndpoint",
      args: [BigInt(agentId), endpointHash],
      chain: null,
    });
    await client.waitForTransactionReceipt({ hash });
    await stack.indexed();
    const explained = await (await fetch(`${stack.apiUrl}/tx/${hash}/explain`)).json();
    expect(JSON.stringify(explained)).toContain(`Agent #${agentId} set its endpoint hash to ${endpointHash}`);
    const selection = `{ agent(agentId: "${agentId}") { endpointHash } }`;
    const answer = await fetch(`${stack.ponderUrl}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query: selection }),
    });
    expect(await answer.json()).toEqual({ data: { agent: { endpointHash } } });
  });

  it("adds a setting, with its default by the kind of chain", async () => {
    const module = join(copy.root, "config", "environment.ts");
    const script = `
      import { parseEnvironment } from ${JSON.stringify(module)};
      const shown = { NETWORK: "local", INTENTRY_DIR: "/nowhere" };
      console.log(parseEnvironment(shown).eventPollMs, parseEnvironment({ ...shown, EVENT_POLL_MS: "75" }).eventPollMs);`;
    const file = join(copy.root, "read-setting.ts");
    await writeFile(file, script);
    const { stdout } = await run(process.execPath, ["--import", "tsx", file], { cwd: copy.root });
    expect(stdout).toBe("50 75\n");
  });

  it("adds a table of the store, with its migration", async () => {
    const written = readdirSync(join(copy.root, "api/offchain/migrations")).filter((name) =>
      name.endsWith("agent_note.sql"),
    );
    expect(written).toHaveLength(1);
    const rows = await query(stack.databaseUrl, "SELECT count(*)::int AS count FROM offchain.agent_note");
    expect(rows).toEqual([{ count: 0 }]);
  });
});
