import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { inputJsonSchema, outputJsonSchema } from "../core/json-schema";
import { type AnyCall, textOf } from "../core/operation";
import { freeCalls } from "../operations/index";
import type { Schema } from "./json-schema-text";
import { shortSchema } from "./tool-json-schema";

/** The operations that are MCP tools: all free calls except development helpers. */
export const toolOperations = freeCalls.filter(({ operation }) => !operation.development);

const ownNames = new Map(freeCalls.flatMap(({ name, operation }) => (operation.tool ? [[name, operation.tool]] : [])));

/** The name of an operation's tool: `agents_get`. Many clients reject a dot in a name. */
export const toolNameOf = (name: string) => ownNames.get(name) ?? name.replace(".", "_");

/** The parts of a tool's definition that most clients don't need. */
export type ToolOptions = { outputSchemas: boolean };

/**
 * The MCP definition of an operation's tool. A client sends all definitions to its language model, so they are short: no
 * title and no output schema unless asked for, and only the annotations that differ from their defaults.
 */
export function toolOf(name: string, operation: AnyCall, { outputSchemas }: ToolOptions): Tool {
  const inputSchema = shortSchema(inputJsonSchema(operation.input) as Schema);
  return {
    name: toolNameOf(name),
    description: textOf(operation),
    inputSchema: { ...(inputSchema as Tool["inputSchema"]), type: "object" },
    // The description begins with the title.
    ...(outputSchemas && { title: operation.summary.replace(/\.$/, "") }),
    // An output schema must be an object, and a document is text.
    ...(outputSchemas &&
      !operation.document && { outputSchema: { ...outputJsonSchema(operation.output), type: "object" as const } }),
    // Repeating a write changes nothing.
    annotations: operation.writes ? { destructiveHint: false, idempotentHint: true } : { readOnlyHint: true },
  };
}
