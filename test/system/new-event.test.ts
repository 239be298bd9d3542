import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { copyProject, type ProjectCopy } from "../support/project-copy";

/**
 * The edits for an event `AgentEndpointSet(uint256 indexed agentId, bytes32 endpointHash)`, as docs/contributing.md shows them.
 * The contract, its forge test and the sample activity are left out: the ABI is written here, as `npm run generate` does.
 */
const signature = "event AgentEndpointSet(uint256 indexed agentId, bytes32 endpointHash)";

const abiItem = JSON.stringify({
  type: "event",
  name: "AgentEndpointSet",
  inputs: [
    { name: "agentId", type: "uint256", indexed: true, internalType: "uint256" },
    { name: "endpointHash", type: "bytes32", indexed: false, internalType: "bytes32" },
  ],
  anonymous: false,
});

const edits: { file: string; before: string; added: string }[] = [
  { file: "abis/AgentRegistry.ts", before: "agentRegistryAbi = [", added: `\n  ${abiItem},` },
  {
    file: "src/agents.ts",
    before: 'agents: Handlers<"AgentRegistry"> = {',
    added: "\n  async AgentEndpointSet() {},\n",
  },
  {
    file: "api/events/describe-event.ts",
    before: "(args: ArgumentsOf<Name>, facts: EventFacts) => string } = {",
    added:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the source of a template.
      "\n  AgentEndpointSet: ({ agentId, endpointHash }) => `Agent #${agentId} set its endpoint hash to ${endpointHash}`,\n",
  },
  { file: "test/fixtures/protocol-signatures.ts", before: "  AgentRegistry: [", added: `\n    "${signature}",` },
];

let copy: ProjectCopy;
const vitest = (...files: string[]) =>
  promisify(execFile)(
    process.execPath,
    [join("node_modules", "vitest", "vitest.mjs"), "run", "--project", "unit", ...files],
    { cwd: copy.root, maxBuffer: 2 ** 26, env: { ...process.env, NO_COLOR: "1" } },
  ).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  );

beforeAll(async () => {
  copy = await copyProject(["test", "stack", "scripts", "vitest.config.ts"]);
  for (const { file, before, added } of edits) {
    const path = join(copy.root, file);
    const source = await readFile(path, "utf8");
    expect(source.split(before), file).toHaveLength(2);
    await writeFile(
      path,
      source.replace(before, () => before + added),
    );
  }
});
afterAll(() => copy?.remove());

it("is described and filtered after an edit of its contract, signature, handler and sentence, and no other", async () => {
  const output = await vitest("test/unit/event-filter", "test/unit/describe-event", "test/unit/abis");
  expect(output).toMatch(/Test Files +3 passed \(3\)/);
});

it("is reported by the tests if it lacks a sentence", async () => {
  const path = join(copy.root, "api/events/describe-event.ts");
  const source = await readFile(path, "utf8");
  await writeFile(path, source.replace(/\n {2}AgentEndpointSet: .*\n/, ""));
  const output = await vitest("test/unit/describe-event");
  expect(output).toMatch(/Test Files +1 failed/);
  expect(output).toContain("AgentEndpointSet");
});
