import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { inputJsonSchema, outputJsonSchema } from "../core/json-schema";
import { type AnyCall, textOf } from "../core/operation";
import { actionGroups } from "../operations/actions/index";
import { documentsByKind } from "../operations/documents";
import { freeCalls, nameOf } from "../operations/index";
import { metadataOfIntents } from "../operations/intent-metadata";
import { status } from "../operations/status";
import type { Schema } from "./json-schema-text";
import { chosenCall, groupSchema, groupText, type ToolGroup } from "./tool-group";
import { shortSchema } from "./tool-json-schema";

/** The fields that every action has. */
const actor = ["from", "account", "signer"];

const { putMetadata, reserveMetadata } = metadataOfIntents;

const sharedNames = Object.keys(putMetadata.input.shape).filter((name) => name in reserveMetadata.input.shape);

/** One operation of every kind of document. */
const ofDocuments = (name: "publish" | "get" | "metadata"): Record<string, AnyCall> =>
  Object.fromEntries(Object.entries(documentsByKind).map(([kind, operations]) => [kind, operations[name]]));

/** The tools that have several operations. */
export const toolGroups: readonly ToolGroup[] = [
  ...Object.entries(actionGroups).map(
    ([group, { summary, actions }]): ToolGroup => ({
      name: `prepare_${group}`,
      summary,
      description: "For you to sign and send.",
      choice: "action",
      operations: actions,
      shared: actor,
    }),
  ),
  {
    name: "documents_publish",
    summary: "Publishes the exact text of a document.",
    description: "Its keccak256 identifies it.",
    choice: "kind",
    operations: ofDocuments("publish"),
    shared: ["expected_hash"],
  },
  {
    name: "documents_get",
    summary: "The exact text of a published document.",
    choice: "kind",
    operations: ofDocuments("get"),
    shared: ["hash"],
  },
  {
    name: "documents_metadata",
    summary: "The metadata of a published document.",
    description: "Size, publication time and declared fields.",
    choice: "kind",
    operations: ofDocuments("metadata"),
    shared: ["hash"],
  },
  {
    name: "intents_storeMetadata",
    summary: "Stores the off-chain metadata of an intent.",
    description: "Put it if the intent is on chain, reserve it before.",
    choice: "action",
    operations: { putMetadata, reserveMetadata },
    shared: sharedNames,
  },
  {
    name: "status",
    summary: "The state of the service and its chain.",
    description:
      "`ready`: whether the index has caught up with the chain, and the reasons if not. `protocol`: the chain id and the addresses of the contracts.",
    choice: "kind",
    operations: status,
    shared: [],
  },
];

/** The operations that MCP serves: all free calls except development helpers. */
export const toolOperations = freeCalls.filter(({ operation }) => !operation.development);

/** The parts of a tool's definition that most clients don't need. */
export type ToolOptions = { outputSchemas: boolean };

/** An MCP tool. */
export type McpTool = {
  name: string;
  /** The operations that a call can run. */
  operations: readonly AnyCall[];
  definition: (options: ToolOptions) => Tool;
  /** The operation that a call runs, and its input. Throws BadInput. */
  resolve: (sent: Readonly<Record<string, unknown>>) => { operation: AnyCall; input: unknown };
};

/** The schema of the outputs of operations. None for documents: an output schema must be an object, and a document is text. */
function outputSchemaOf(operations: readonly AnyCall[]): Tool["outputSchema"] {
  if (operations.some(({ document }) => document)) return undefined;
  const [first = {}, ...others] = [...new Set(operations.map(({ output }) => output))].map(outputJsonSchema);
  return { ...(others.length > 0 ? { anyOf: [first, ...others] } : first), type: "object" };
}

type Described = { name: string; summary: string; text: string; inputSchema: Tool["inputSchema"] };

/**
 * The MCP definition of a tool. A client sends all definitions to its language model, so they are short: no title and no
 * output schema unless asked for, and only the annotations that differ from their defaults.
 */
function definitionOf(
  { name, summary, text, inputSchema }: Described,
  operations: readonly AnyCall[],
  { outputSchemas }: ToolOptions,
): Tool {
  const outputSchema = outputSchemas ? outputSchemaOf(operations) : undefined;
  const canWrite = operations.some(({ writes, publishes }) => writes || publishes);
  return {
    name,
    description: text,
    inputSchema,
    // The description begins with the title.
    ...(outputSchemas && { title: summary.replace(/\.$/, "") }),
    ...(outputSchema && { outputSchema }),
    // Repeating a write changes nothing.
    annotations: canWrite ? { destructiveHint: false, idempotentHint: true } : { readOnlyHint: true },
  };
}

function toolOfOperation(name: string, operation: AnyCall): McpTool {
  const described = () => ({
    name,
    summary: operation.summary,
    text: textOf(operation),
    inputSchema: {
      ...(shortSchema(inputJsonSchema(operation.input) as Schema) as Tool["inputSchema"]),
      type: "object" as const,
    },
  });
  return {
    name,
    operations: [operation],
    definition: (options) => definitionOf(described(), [operation], options),
    resolve: (sent) => ({ operation, input: sent }),
  };
}

function toolOfGroup(group: ToolGroup): McpTool {
  const { name, summary } = group;
  const operations = Object.values(group.operations);
  const described = () => ({ name, summary, text: groupText(group), inputSchema: groupSchema(group) });
  return {
    name,
    operations,
    definition: (options) => definitionOf(described(), operations, options),
    resolve: (sent) => chosenCall(group, sent),
  };
}

const grouped = new Set(toolGroups.flatMap(({ operations }) => Object.values(operations)));

/** All tools. Many clients reject a dot in a name. */
export const tools: readonly McpTool[] = [
  ...toolOperations
    .filter(({ operation }) => !grouped.has(operation))
    .map(({ name, operation }) => toolOfOperation(operation.tool ?? name.replace(".", "_"), operation)),
  ...toolGroups.map(toolOfGroup),
];

/** The tool of an operation, and the value of the field that chooses the operation in it. */
type ToolCall = { tool: McpTool; group?: ToolGroup; value?: string };

/** The tool of every operation that has one, by the name of the operation. */
export const toolCalls: ReadonlyMap<string, ToolCall> = new Map(
  tools.flatMap((tool) => {
    const group = toolGroups.find(({ name }) => name === tool.name);
    if (!group) return tool.operations.map((operation): [string, ToolCall] => [nameOf(operation), { tool }]);
    return Object.entries(group.operations).map(([value, operation]): [string, ToolCall] => [
      nameOf(operation),
      { tool, group, value },
    ]);
  }),
);
