import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ask, type DevStack, EDITED, startDevStack } from "./dev-stack";

describe("npm run dev", () => {
  let dev: DevStack;

  beforeAll(async () => {
    dev = await startDevStack();
  }, 180_000);
  afterAll(() => dev?.stop());

  it("survives edits of the schema, of handlers and of operations in any order, on the same ports", async () => {
    const { root, stack, original, registerAgent, healthName, save } = dev;
    await registerAgent("second");
    await stack.indexed();
    const schema = await readFile(join(root, "src", "schema", "agents.ts"), "utf8");
    const handlers = await readFile(join(root, "src", "agents.ts"), "utf8");
    const abi = await readFile(join(root, "abis", "AgentRegistry.ts"), "utf8");
    const key = "agentId: t.bigint().primaryKey(),";
    const edits: Record<string, (round: number) => Promise<void>> = {
      schema: (round) =>
        save(join("src", "schema", "agents.ts"), schema.replace(key, `${key}\n    note${round}: t.text(),`)),
      handler: (round) => save(join("src", "agents.ts"), `${handlers}\nexport const round = ${round};\n`),
      abi: (round) => save(join("abis", "AgentRegistry.ts"), `${abi}\n// ${round}\n`),
      operation: (round) => save(EDITED, original.replace('name: "Intentry"', `name: "Round ${round}"`)),
    };
    const orders = [
      ["schema", "operation", "handler"],
      ["operation", "handler", "schema"],
      ["handler", "abi", "schema", "operation"],
    ];
    for (const [round, order] of orders.entries()) {
      for (const kind of order) await edits[kind]?.(round);
      await expect.poll(healthName, { timeout: 150_000 }).toBe(`Round ${round}`);
      const agents = async () => (await stack.rows("agent")).map(({ metadataUri }) => metadataUri);
      await expect.poll(() => agents().catch(String), { timeout: 150_000 }).toEqual(["ipfs://first", "ipfs://second"]);
      const served = async () => JSON.parse((await ask(`${stack.apiUrl}/agents/2`)).body).metadata_uri;
      await expect.poll(() => served().catch(String), { timeout: 150_000 }).toBe("ipfs://second");
    }
    // After fast edits, Ponder can end because a query of the version before finds its pool closed (docs/upstream.md).
    const ended = stack.log().match(/^\S+ ended with .*$/gm) ?? [];
    expect(ended.filter((line) => line !== "ponder ended with code 75:")).toEqual([]);
    expect(stack.log()).not.toContain("Port in use");
  });
});
