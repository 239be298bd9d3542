import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { inputSchemaOf, outputSchemaOf } from "../core/json-schema";
import type { AnyCall } from "../core/operation";
import { freeCalls } from "../operations/index";
import { inWords } from "./openapi";

/** The name of an operation's tool: `agents_get`. Many clients reject a dot in a name. */
export const toolNameOf = (name: string) => name.replace(".", "_");

/** The operations that are MCP tools: all free calls except development helpers. */
export const toolOperations = freeCalls.filter(({ operation }) => !operation.development);

/** The description of a tool: summary, required parameters, errors and side effects. */
const descriptionOf = ({ summary, writes, errors }: AnyCall, required: readonly string[]) =>
  [
    summary,
    required.length > 0 ? `Required: ${required.join(", ")}.` : "No required parameters.",
    ...(errors?.includes(404) ? ["Returns an error if it does not exist."] : []),
    ...(writes ? ["Stores public data. Repeating the call changes nothing."] : []),
  ].join(" ");

/** The MCP definition of an operation's tool. */
export function toolOf(name: string, operation: AnyCall): Tool {
  const [resource = "", action = ""] = name.split(".");
  const title = `${inWords(resource)}: ${inWords(action).toLowerCase()}`;
  const inputSchema: Tool["inputSchema"] = { ...inputSchemaOf(operation.input), type: "object" };
  return {
    name: toolNameOf(name),
    title,
    description: descriptionOf(operation, inputSchema.required ?? []),
    inputSchema,
    // An output schema must be an object, and a document is text.
    ...(!operation.document && { outputSchema: { ...outputSchemaOf(operation.output), type: "object" as const } }),
    annotations: {
      title,
      readOnlyHint: !operation.writes,
      destructiveHint: false,
      idempotentHint: true,
      // Anyone can write the content that tools read, and anyone can read the data that tools store.
      openWorldHint: true,
    },
  };
}
