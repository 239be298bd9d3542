import { describe, expect, it } from "vitest";
import { textOf } from "../../api/core/operation";
import { allOperations } from "../../api/operations/index";
import { typeInWords } from "../../api/transports/json-schema-text";
import { llmsFull, llmsIndex } from "../../api/transports/llms";

const base = "https://intentry.example";

describe("llms.txt", () => {
  const text = llmsIndex(base);

  it("follows llmstxt.org: a title, a summary, details without headings, and lists of links", () => {
    const [title, summary, ...rest] = text.split("\n\n");
    expect(title).toBe("# Intentry");
    expect(summary).toMatch(/^> \S/);
    const sections = rest.join("\n\n").split(/^## .*$/m);
    expect(sections).toHaveLength(3);
    for (const section of sections.slice(1))
      for (const line of section.trim().split("\n")) expect(line).toMatch(/^- \[[^\]]+\]\(https:\/\/[^)]+\): \S/);
  });

  it("shows how to pay within the client's own limits", () => {
    expect(text).toContain(".portfolio(payer.address");
    expect(text).not.toContain("spending");
  });

  it("names every route, and links only to the service", () => {
    for (const { operation } of allOperations) expect(text).toContain(`\`${operation.route}\``);
    for (const [, link] of text.matchAll(/\]\(([^)]*)\)/g)) expect(link).toMatch(/^https:\/\/intentry\.example\//);
  });
});

describe("llms-full.txt", () => {
  const text = llmsFull(base);

  it("has a section with an example for every route", () => {
    const sections = text.split(/^### /m).slice(1);
    for (const { operation } of allOperations) {
      const section = sections.find((one) => one.startsWith(`${operation.route}\n`));
      expect(section, operation.route).toContain(textOf(operation));
      expect(section, operation.route).toMatch(/```sh\n(.|\n)*curl -s (.|\n)*```/);
      for (const parameter of Object.keys(operation.input.shape)) {
        const header = Object.entries(operation.headers ?? {}).find(([, part]) => part === parameter)?.[0];
        expect(section, `${operation.route} ${parameter}`).toContain(`- \`${header ?? parameter}\` (`);
      }
    }
  });

  it("describes every named type, and leaves no value untyped", () => {
    const described = new Set([...text.matchAll(/^### (\w+)/gm)].map(([, name]) => name));
    for (const [, name] of text.matchAll(/(?:with|of|:|or) `([A-Z]\w+)`/g)) expect(described).toContain(name);
    expect(text).not.toMatch(/: anything\.|undefined|\[object/);
  });

  it("has a heading for every link in llms.txt", () => {
    const headings = [...text.matchAll(/^## (.*)$/gm)].map(([, title = ""]) =>
      title.toLowerCase().replaceAll(" ", "-"),
    );
    for (const [, anchor] of llmsIndex(base).matchAll(/llms-full\.txt#([^)]*)\)/g)) expect(headings).toContain(anchor);
  });
});

describe("a type in words", () => {
  it.each([
    [{ $ref: "#/components/schemas/Agent" }, "`Agent`"],
    [{ type: ["string", "null"], pattern: "^0x[0-9a-f]{40}$" }, "address or null"],
    [{ type: "string", pattern: "^0x[0-9a-fA-F]{64}$" }, "hash"],
    [{ type: "string", pattern: "^\\d+(\\.\\d{1,6})?$" }, "decimal number"],
    [{ type: "string", pattern: "^(0|[1-9]\\d*)(\\.\\d*[1-9])?$" }, "decimal number"],
    [{ type: "string", pattern: "^x$" }, "text that matches `^x$`"],
    [{ type: "string", enum: ["a", "b"] }, '`"a"` or `"b"`'],
    [{ type: "array", items: { type: "integer" } }, "list of integer"],
    [{ anyOf: [{ type: "boolean" }, { type: "string", format: "uri" }] }, "boolean or URL"],
    [
      { type: "object", properties: { a: { type: "integer" }, b: { type: "object" } }, required: ["a"] },
      "{ a: integer; b?: object }",
    ],
  ])("is %j", (schema, words) => {
    expect(typeInWords(schema)).toBe(words);
  });
});
