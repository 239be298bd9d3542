import { Tiktoken } from "js-tiktoken/lite";
import o200k from "js-tiktoken/ranks/o200k_base";
import { describe, expect, it } from "vitest";
import { actions } from "../../api/operations/actions/index";
import { shortSchema } from "../../api/transports/tool-json-schema";
import { tools as allTools, toolCalls, toolGroups } from "../../api/transports/tools";

/** The most tokens of a language model's context that the list of tools may use. */
const MAX_TOKENS = 8_000;

describe("the list of tools", () => {
  const tools = allTools.map(({ definition }) => definition({ outputSchemas: false }));

  it(`has at most ${MAX_TOKENS} tokens`, () => {
    const tokens = new Tiktoken(o200k).encode(JSON.stringify({ tools })).length;
    expect(tokens).toBeLessThanOrEqual(MAX_TOKENS);
    // Otherwise something is missing.
    expect(tokens).toBeGreaterThan(4_000);
  });

  it("has every parameter of every operation, and its choices", () => {
    for (const [index, { name, operations }] of allTools.entries()) {
      if (toolGroups.some((group) => group.name === name)) continue;
      const { properties = {} } = tools[index]?.inputSchema ?? {};
      expect(Object.keys(properties), name).toEqual(operations.flatMap(({ input }) => Object.keys(input.shape)));
    }
    const metric = tools.find(({ name }) => name === "analytics_timeseries")?.inputSchema.properties?.metric;
    expect(metric).toMatchObject({ enum: expect.arrayContaining(["intents", "fill_volume"]) });
  });

  it("describes each tool in at most 240 characters, has its title of at most 60 on request, and has recent_events", () => {
    const full = allTools.map(({ definition }) => definition({ outputSchemas: true }));
    for (const [index, { name, title, description = "" }] of tools.entries()) {
      expect(title, name).toBeUndefined();
      expect(full[index]?.title, name).toMatch(/^[A-Z].{0,58}[^.]$/);
      expect(description.startsWith(`${full[index]?.title}.`), name).toBe(true);
      const [, own = description] = /^(.*?) \S+\(.*\)\.$/.exec(description) ?? [];
      expect(own.length, name).toBeLessThanOrEqual(240);
    }
    expect(tools.find(({ name }) => name === "intents_get")).toMatchObject({
      description: "One intent by its id. With its fill, on-chain commitments and metadata.",
    });
    expect(tools.map(({ name }) => name)).toContain("recent_events");
  });
});

describe("a tool of several operations", () => {
  const tools = toolGroups.map((group) => ({
    group,
    tool: allTools.find(({ name }) => name === group.name)?.definition({ outputSchemas: false }),
  }));

  it("has a field that chooses the operation, the fields that all have, and the others in its description", () => {
    for (const { group, tool } of tools) {
      const { choice, operations, shared } = group;
      const { properties = {}, required = [] } = tool?.inputSchema ?? {};
      expect(properties[choice]).toEqual({ type: "string", enum: Object.keys(operations) });
      const [input, ...others] = Object.keys(properties).filter((name) => name !== choice && !shared.includes(name));
      expect([input ?? "input", others]).toEqual(["input", []]);
      for (const [value, operation] of Object.entries(operations)) {
        const own = Object.keys(operation.input.shape).filter((name) => !shared.includes(name));
        expect(shared.every((name) => name in operation.input.shape)).toBe(true);
        if (input === undefined) {
          expect(own).toEqual([]);
          continue;
        }
        const [, fields = ""] = new RegExp(`[ ;.]${value}\\((.*?)\\)[;.]`).exec(tool?.description ?? "") ?? [];
        for (const name of own) expect(fields, `${value} ${name}`).toMatch(new RegExp(`(^|, )${name}\\b`));
        const isRequired = (name: string) => !new RegExp(`(^|, )${name}\\?`).test(fields);
        expect(own.filter(isRequired).toSorted()).toEqual(
          own.filter((name) => !operation.input.shape[name]?.safeParse(undefined).success).toSorted(),
        );
      }
      expect(required).toContain(choice);
    }
  });

  it("lists the fields of an action in a few words", () => {
    const { description } = tools.find(({ group }) => group.name === "prepare_intent")?.tool ?? {};
    expect(description).toContain(
      "; submitBid(intent_id, amount_out, amount_in?, fee?, valid_until?, execution_hash?); selectBid(",
    );
    const sale = tools.find(({ group }) => group.name === "prepare_sale")?.tool?.description;
    expect(sale).toContain("resolveDispute(dispute_id, outcome: resolved|rejected, resolution_hash?, resolution?)");
  });

  it("prepares every action", () => {
    const prepared = toolGroups.filter(({ name }) => name.startsWith("prepare_"));
    expect(prepared.map(({ name }) => name).toSorted()).toEqual([
      "prepare_intent",
      "prepare_payment",
      "prepare_policy",
      "prepare_registration",
      "prepare_sale",
    ]);
    for (const name of Object.keys(actions))
      expect(toolCalls.get(`actions.${name}`)).toMatchObject({ value: name, group: { choice: "action" } });
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
          cursor: { type: "string" },
        },
      },
    ],
  ])("of %j is %j", (schema, short) => {
    expect(shortSchema(schema)).toEqual(short);
  });
});
