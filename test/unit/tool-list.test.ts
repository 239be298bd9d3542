import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { describe, expect, it } from "vitest";
import { shortSchema } from "../../api/transports/tool-json-schema";
import { toolOf, toolOperations } from "../../api/transports/tools";

/** The most tokens of a language model's context that the list of tools may use. */
const MAX_TOKENS = 8_000;

describe("the list of tools", () => {
  const tools = toolOperations.map(({ name, operation }) => toolOf(name, operation, { outputSchemas: false }));

  it(`has at most ${MAX_TOKENS} tokens`, () => {
    const tokens = new Tiktoken(o200k).encode(JSON.stringify({ tools })).length;
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
    // Otherwise something is missing.
    expect(tokens).toBeGreaterThan(4_000);
  });

  it("has every parameter of every operation, and its choices", () => {
    for (const [index, { name, operation }] of toolOperations.entries()) {
      const { properties = {} } = tools[index]?.inputSchema ?? {};
      expect(Object.keys(properties), name).toEqual(Object.keys(operation.input.shape));
    }
    const metric = tools.find(({ name }) => name === "analytics_timeseries")?.inputSchema.properties?.metric;
    expect(metric).toMatchObject({ enum: expect.arrayContaining(["intents", "fill_volume"]) });
  });

  it("describes each tool in at most 240 characters, has its title of at most 60 on request, and has recent_events", () => {
    const full = toolOperations.map(({ name, operation }) => toolOf(name, operation, { outputSchemas: true }));
    for (const [index, { name, title, description = "" }] of tools.entries()) {
      expect(title, name).toBeUndefined();
      expect(full[index]?.title, name).toMatch(/^[A-Z].{0,58}[^.]$/);
      expect(description.startsWith(`${full[index]?.title}.`), name).toBe(true);
      expect(description.length, name).toBeLessThanOrEqual(240);
    }
    expect(tools.find(({ name }) => name === "intents_get")).toMatchObject({
      description: "One intent by its id. With its fill, on-chain commitments and metadata.",
    });
    expect(tools.map(({ name }) => name)).toContain("recent_events");
  });
});

describe("a short schema", () => {
  it.each([
    [
      { type: "string", pattern: "^0x[0-9a-fA-F]{40}$", example: "0x" },
      { type: "string", description: "address" },
    ],
    [
      { type: "string", pattern: "^0x[0-9a-fA-F]{64}$", description: "Of the quote." },
      { type: "string", description: "hash. Of the quote" },
    ],
    [{ type: "string", pattern: "^0*[0-9]{1,78}$" }, { type: "string" }],
    [
      { type: "integer", minimum: 0, enum: [0, 1] },
      { type: "integer", enum: [0, 1] },
    ],
    [
      { type: "object", properties: { limit: { type: "integer", description: "Points." } }, required: ["limit"] },
      { type: "object", properties: { limit: { type: "integer", description: "Points" } }, required: ["limit"] },
    ],
    [
      { type: "object", properties: { limit: { type: "integer", default: 50 }, cursor: { type: "string" } } },
      {
        type: "object",
        properties: {
          limit: { type: "integer" },
          cursor: { type: "string", description: "a next_cursor" },
        },
      },
    ],
  ])("of %j is %j", (schema, short) => {
    expect(shortSchema(schema)).toEqual(short);
  });
});
