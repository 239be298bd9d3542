import { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "./operation";

/** The JSON Schema of an operation's input, as in the OpenAPI document. */
export function inputJsonSchema(input: z.ZodObject): Record<string, unknown> {
  const app = new OpenAPIHono();
  app.openAPIRegistry.register("Input", input);
  const { components } = app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "", version: "" } });
  return { ...components?.schemas?.Input };
}

/** The JSON Schema of an operation's output. */
export function outputJsonSchema(output: z.ZodType): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(output, { unrepresentable: "any" });
  return schema;
}
