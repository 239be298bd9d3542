import { ErrorCode, McpError, type Resource, type ResourceTemplate } from "@modelcontextprotocol/sdk/types.js";
import { NotFound } from "../core/errors";
import type { AnyCall } from "../core/operation";
import { documentsByKind } from "../operations/documents";
import { llmsFull, llmsIndex } from "./llms";

const SCHEME = "intentry://";

/** The texts for agents, as they are at /llms.txt and /llms-full.txt. */
const texts = [
  { uri: `${SCHEME}llms.txt`, name: "README", title: "How to use this service", textFor: llmsIndex },
  { uri: `${SCHEME}llms-full.txt`, name: "REFERENCE", title: "All routes, with examples", textFor: llmsFull },
] as const;

const MARKDOWN = "text/markdown";
const JSON_TYPE = "application/json";

export const resources: Resource[] = texts.map(({ textFor, ...resource }) => ({ ...resource, mimeType: MARKDOWN }));

/** The operation that reads a document, by the kind of document: `catalogs`, as in the path of its route. */
const documentKinds = new Map<string, AnyCall>(Object.entries(documentsByKind).map(([kind, { get }]) => [kind, get]));

const kinds = [...documentKinds.keys()].join(", ");

export const resourceTemplates: ResourceTemplate[] = [
  {
    uriTemplate: `${SCHEME}documents/{kind}/{hash}`,
    name: "document",
    title: "A published document",
    description: `The exact text of a document by its keccak256. kind is one of ${kinds}.`,
    mimeType: JSON_TYPE,
  },
];

/** MCP's code for a resource that does not exist. The SDK has no name for it. */
const RESOURCE_NOT_FOUND = -32_002;

/** The content of a resource. */
type Content = { uri: string; mimeType: string; text: string };

/** Runs an operation on an input. */
type Run = (operation: AnyCall, input: Record<string, unknown>) => Promise<unknown>;

/** Reads a resource by its URI. Documents are read with `run`, so their limits are those of REST. */
export async function readResource(uri: string, baseUrl: string, run: Run): Promise<Content> {
  const text = texts.find((one) => one.uri === uri);
  if (text) return { uri, mimeType: MARKDOWN, text: text.textFor(baseUrl) };
  const [, kind = "", hash] = /^intentry:\/\/documents\/([^/]*)\/([^/]*)$/.exec(uri) ?? [];
  if (hash === undefined)
    throw new McpError(ErrorCode.InvalidParams, `Unknown resource ${uri}; resources/list returns all resources`);
  const operation = documentKinds.get(kind);
  if (!operation) throw new McpError(ErrorCode.InvalidParams, `${uri}: the kind of document must be one of ${kinds}`);
  try {
    return { uri, mimeType: JSON_TYPE, text: String(await run(operation, { hash })) };
  } catch (error) {
    throw error instanceof NotFound ? new McpError(RESOURCE_NOT_FOUND, error.message, { uri }) : error;
  }
}
