import { describe, expect, it } from "vitest";
import { openApiDocument } from "../../api/transports/openapi";

type Schema = { type?: string | string[]; properties?: Record<string, unknown> };

const schemas = (openApiDocument().components?.schemas ?? {}) as Record<string, Schema>;

describe("the OpenAPI document", () => {
  it.each(Object.entries(schemas))("has %s as a named schema that is not nullable itself", (_, schema) => {
    expect([schema.type].flat()).not.toContain("null");
  });

  it.each([
    ["fill", "Fill"],
    ["metadata", "IntentMetadata"],
  ])("has %s of an intent as %s or null", (field, name) => {
    expect(schemas.Intent?.properties?.[field]).toMatchObject({
      anyOf: [{ $ref: `#/components/schemas/${name}` }, { type: "null" }],
    });
  });

  type Documented = { parameters?: { name: string; schema: { enum?: string[] } }[]; security?: object[] };
  const paths = openApiDocument().paths as unknown as Record<string, Record<string, Documented>>;

  it("has the status filters of intents in both cases", () => {
    const status = paths["/intents"]?.get?.parameters?.find(({ name }) => name === "status");
    const names = ["open", "filled", "cancelled", "expired"];
    expect(status?.schema.enum).toEqual([...names, ...names.map((name) => name.toUpperCase())]);
  });

  it("allows the unpaid portfolio by its security", () => {
    expect(paths["/portfolio"]?.get?.security).toEqual([{}, { payment: [] }]);
  });
});
