import { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "./operation";

/** What an operation takes, as a JSON Schema: each part as the OpenAPI document describes it. */
export function inputSchemaOf(input: z.ZodObject): Record<string, unknown> {
  const app = new OpenAPIHono();
  app.openAPIRegistry.register("Input", input);
  const { components } = app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } });
  return { ...components?.schemas?.Input };
}

/** What an operation answers, as a JSON Schema. */
export function outputSchemaOf(output: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(output, { unrepresentable: "any" });
  return schema;
}
