import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { getPrompt, prompts } from "../../api/transports/mcp-prompts";
import { tools as allTools, toolGroups } from "../../api/transports/tools";

const values = { address: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8", need: "a translation", receipt_id: "7" };

/** The values of the arguments that the prompt requires. */
const requiredBy = (name: string) => {
  const required = prompts.find((one) => one.name === name)?.arguments?.filter((argument) => argument.required) ?? [];
  const names = required.map((argument) => argument.name);
  return Object.fromEntries(Object.entries(values).filter(([argument]) => names.includes(argument)));
};

const textOf = (name: string, given: Record<string, string> = requiredBy(name)) => {
  const [message] = getPrompt(name, given).messages;
  return message?.content.type === "text" ? message.content.text : "";
};

describe("the prompts of the market's roles", () => {
  const tools = new Set(allTools.map(({ name }) => name));
  it.each(prompts)("$name names only tools, actions and fields that exist", ({ name }) => {
    const text = textOf(name);
    const resources = [...new Set([...tools].map((tool) => tool.split("_")[0]))].join("|");
    const named = [...text.matchAll(new RegExp(`\\b(?:${resources})_[a-zA-Z]+`, "g"))].map(([tool]) => tool);
    expect(named.length).toBeGreaterThan(5);
    for (const tool of named) expect(tools, tool).toContain(tool);
    const prepared = [...text.matchAll(/\b(prepare_[a-z]+) (\w+) \((.*?)\)/g)];
    expect(prepared.length).toBeGreaterThan(2);
    for (const [, tool, action = "", fields = ""] of prepared) {
      const group = toolGroups.find((one) => one.name === tool);
      const shape = group?.operations[action]?.input.shape ?? {};
      const given = fields
        .split(/[,;] ?/)
        .flatMap((field) => /(?:^|also | and )([a-z_]+)(?:=|$| and)/.exec(field)?.[1] ?? []);
      expect(given.length, `${tool} ${action}`).toBeGreaterThan(0);
      for (const field of given) expect(Object.keys(shape), `${tool} ${action}`).toContain(field);
    }
    const chosen = [...text.matchAll(/\b(documents_[a-z]+|status) \(kind=([\w-]+)\)/g)];
    for (const [, tool, kind = ""] of chosen)
      expect(Object.keys(toolGroups.find((one) => one.name === tool)?.operations ?? {})).toContain(kind);
  });

  it("have the arguments that the documentation lists", async () => {
    const page = await readFile(new URL("../../docs/api.md", import.meta.url), "utf8");
    for (const { name, arguments: listed = [] } of prompts) {
      const written = listed.map((one) => `${one.required ? "" : "optional "}\`${one.name}\``).join(", ");
      expect(page).toContain(`\`${name}\` (${written})`);
    }
  });

  it("contain the values of their arguments, and say how to treat untrusted text", () => {
    expect(textOf("buyer", { ...requiredBy("buyer"), budget: "5 USDC" })).toContain("Budget: 5 USDC");
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
      expect(() => getPrompt(name, { address: values.address })).toThrow("prompts/list returns all prompts");
  });
});
