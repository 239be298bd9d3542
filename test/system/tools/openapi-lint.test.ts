import { createRequire } from "node:module";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, expect, it } from "vitest";
import { allOperations, operations } from "../../../api/operations/index";
import { type Describable, describeDocument } from "../../../api/transports/descriptions/describe";
import { parameterDescriptions } from "../../../api/transports/descriptions/parameters";
import { recordDescriptions } from "../../../api/transports/descriptions/records";
import { serviceDescriptions } from "../../../api/transports/descriptions/service";
import { tagDescriptions } from "../../../api/transports/descriptions/tags";
import type { Schema } from "../../../api/transports/json-schema-text";
import { openApiDocument } from "../../../api/transports/openapi";

/** The part of Spectral that is used. TypeScript would need seconds for the types of its rules, so it is not imported. */
type Spectral = {
  setRuleset: (rules: { extends: [ruleset: unknown, severity: "recommended"][] }) => void;
  run: (source: string) => Promise<{ code: string | number; path: (string | number)[]; message: string }[]>;
};
const require = createRequire(import.meta.url);
const { Spectral }: { Spectral: new () => Spectral } = require("@stoplight/spectral-core");
const { oas }: { oas: unknown } = require("@stoplight/spectral-rulesets");

const source = JSON.stringify(openApiDocument());

type Operation = {
  operationId: string;
  summary: string;
  description: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; description?: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema; example?: unknown }> }>;
};

const document = JSON.parse(source) as {
  components: { schemas: Record<string, Schema>; securitySchemes: object };
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string; description: string }[];
};

const documented = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe("the linters of the OpenAPI document", () => {
  it("redocly's recommended rules find nothing but the documented paths that overlap", async () => {
    const config = await createConfig({ extends: ["recommended"] });
    const problems = await lintFromString({ source, absoluteRef: "openapi.json", config });
    expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
    // The specification of the API has /intents/metadata/{intentHash} beside /intents/{id}/metadata and others. An id is a number.
    expect(problems.map(({ ruleId }) => ruleId)).toEqual(Array(3).fill("no-ambiguous-paths"));
  }, 60_000);

  it("spectral's recommended rules find nothing", async () => {
    const linter = new Spectral();
    linter.setRuleset({ extends: [[oas, "recommended"]] });
    const problems = await linter.run(source);
    expect(problems.map(({ code, path, message }) => `${code} ${path.join("/")}: ${message}`)).toEqual([]);
  }, 120_000);
});

/** The paths of the properties of a schema without a sentence. */
function undescribed(schema: Schema, path: string): string[] {
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    ...(/^\S.{3,}[.)]$|^\d \(/s.test(property.description ?? "") ? [] : [`${path}.${name}: ${property.description}`]),
    ...undescribed(property, `${path}.${name}`),
  ]);
  const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [...properties, ...parts.flatMap((part) => (typeof part === "object" ? undescribed(part, path) : []))];
}

describe("the descriptions of the OpenAPI document", () => {
  it("exist for every property of every schema", () => {
    const named = Object.entries(document.components.schemas).flatMap(([name, schema]) => undescribed(schema, name));
    const bodies = documented.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)]
        .flatMap((part) => Object.values(part?.content ?? {}))
        .flatMap(({ schema }) => undescribed(schema, operationId)),
    );
    expect([...named, ...bodies]).toEqual([]);
  });

  it("exist for every parameter", () => {
    const without = documented.flatMap(({ operationId, parameters = [] }) =>
      parameters
        .filter(({ description, schema }) => !(description ?? schema.description))
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(without).toEqual([]);
  });

  it("exist for every operation and tag, with titles of at most 60 characters", () => {
    expect(documented).toHaveLength(allOperations.length);
    for (const { operationId, summary, description } of documented) {
      expect(summary, operationId).toMatch(/^[A-Z].{0,58}\.$/);
      expect(description, operationId).toMatch(/\.$|```$/);
    }
    expect(Object.keys(tagDescriptions)).toEqual(Object.keys(operations));
    expect(document.tags.every(({ description }) => description !== "")).toBe(true);
  });

  it("are all used", () => {
    const bare = JSON.parse(source, (name, value) =>
      name === "description" && typeof value === "string" ? undefined : value,
    );
    const used = describeDocument(bare as Describable);
    const all = { ...parameterDescriptions, ...recordDescriptions, ...serviceDescriptions };
    expect(Object.keys(all).filter((name) => !used.has(name))).toEqual([]);
  });
});

describe("the security and the examples of the OpenAPI document", () => {
  it("has public reads, writes with an optional token, and one paid route", () => {
    for (const { name, operation } of allOperations) {
      const { security } = documented.find(({ operationId }) => operationId === name) ?? {};
      expect(security, name).toEqual(
        operation.paid ? [{}, { payment: [] }] : operation.writes ? [{}, { writeToken: [] }] : [],
      );
    }
    expect(Object.keys(document.components.securitySchemes)).toEqual(["writeToken", "payment"]);
  });

  it("has an example of every response", () => {
    for (const { operationId, responses } of documented) {
      const success = responses["200"] ?? responses["201"];
      for (const { example } of Object.values(success?.content ?? {})) expect(example, operationId).toBeDefined();
    }
  });
});
