import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { inputSchemaOf, outputSchemaOf } from "../core/json-schema";
import type { AnyCall } from "../core/operation";
import { freeCalls } from "../operations/index";
import { inWords } from "./openapi";

/** The name of an operation's tool: `agents_get`. Many clients take no dot in a name. */
export const toolNameOf = (name: string) => name.replace(".", "_");

/** The operations that are MCP tools: the free calls, without the development helpers. */
export const toolOperations = freeCalls.filter(({ operation }) => !operation.development);

/** What an operation is for and what it needs, in words. */
const descriptionOf = ({ summary, writes, errors }: AnyCall, required: readonly string[]) =>
  [
    summary,
    required.length > 0 ? `Needs ${required.join(", ")}.` : "Needs nothing.",
    ...(errors?.includes(404) ? ["What is not there is an error."] : []),
    ...(writes ? ["Stores something that everyone can read; sent again, it changes nothing."] : []),
  ].join(" ");

/** How an operation describes itself to an agent. */
export function toolOf(name: string, operation: AnyCall): Tool {
  const [resource = "", action = ""] = name.split(".");
  const title = `${inWords(resource)}: ${inWords(action).toLowerCase()}`;
  const inputSchema: Tool["inputSchema"] = { ...inputSchemaOf(operation.input), type: "object" };
  return {
    name: toolNameOf(name),
    title,
    description: descriptionOf(operation, inputSchema.required ?? []),
    inputSchema,
    // The text of a document is no object, and may be of any kind.
    ...(!operation.document && { outputSchema: { ...outputSchemaOf(operation.output), type: "object" as const } }),
    annotations: {
      title,
      readOnlyHint: !operation.writes,
      destructiveHint: false,
      idempotentHint: true,
      // What is read was written by anyone on chain, and what is stored can be read by everyone.
      openWorldHint: true,
    },
  };
}
