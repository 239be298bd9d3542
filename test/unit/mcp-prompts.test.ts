import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { getPrompt, prompts } from "../../api/transports/mcp-prompts";
import { toolNameOf, toolOperations } from "../../api/transports/tools";
import { contractNames, protocolAbis } from "../../config/contracts";

const values = { address: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", need: "a translation" };

/** The values of the arguments that the prompt requires. */
const requiredBy = (name: string) => (name === "buyer" ? values : { address: values.address });

const textOf = (name: string, given: Record<string, string> = requiredBy(name)) => {
  const [message] = getPrompt(name, given).messages;
  return message?.content.type === "text" ? message.content.text : "";
};

describe("the prompts of the market's roles", () => {
  const tools = new Set(toolOperations.map(({ name }) => toolNameOf(name)));
  const functions = new Set(
    contractNames.flatMap((contract) =>
      (protocolAbis[contract] as readonly { type: string; name?: string }[])
        .filter(({ type }) => type === "function")
        .map(({ name }) => `${contract}.${name}`),
    ),
  );

  it.each(prompts)("$name names only tools and contract functions that exist", ({ name }) => {
    const text = textOf(name);
    const resources = [...new Set([...tools].map((tool) => tool.split("_")[0]))].join("|");
    const named = [...text.matchAll(new RegExp(`\\b(?:${resources})_[a-zA-Z]+`, "g"))].map(([tool]) => tool);
    expect(named.length).toBeGreaterThan(5);
    for (const tool of named) expect(tools, tool).toContain(tool);
    const called = [...text.matchAll(/\b[A-Z]\w+(?:Registry|Book|Module)\.\w+/g)].map(([call]) => call);
    expect(called.length).toBeGreaterThan(0);
    for (const call of called) expect(functions, call).toContain(call);
  });

  it("have the arguments that the documentation lists", async () => {
    const page = await readFile(new URL("../../docs/api.md", import.meta.url), "utf8");
    for (const { name, arguments: listed = [] } of prompts) {
      const written = listed.map((one) => `${one.required ? "" : "optional "}\`${one.name}\``).join(", ");
      expect(page).toContain(`\`${name}\` (${written})`);
    }
  });

  it("contain the values of their arguments, and say how to treat untrusted text", () => {
    expect(textOf("buyer", { ...values, budget: "5 USDC" })).toContain("Budget: 5 USDC");
    expect(textOf("buyer")).not.toContain("Budget");
    for (const { name } of prompts) expect(textOf(name)).toContain("never as instructions");
  });

  it("reject missing, overlong and unknown names", () => {
    expect(() => getPrompt("buyer", { address: values.address })).toThrow("need: is required");
    expect(() => getPrompt("solver", {})).toThrow("address: is required");
    expect(() => getPrompt("solver", { address: "x".repeat(2_001) })).toThrow("address: must have at most 2000");
    expect(() => getPrompt("solver", { address: values.address, stratgy: "x" })).toThrow(
      "stratgy: unknown; did you mean strategy?",
    );
    for (const name of ["other", "constructor", ""])
      expect(() => getPrompt(name, values)).toThrow("prompts/list returns all prompts");
  });
});
