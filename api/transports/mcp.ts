import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListResourcesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { Hono } from "hono";
import type { Logger } from "pino";
import { BadInput } from "../core/errors";
import type { AnyCall, Caller } from "../core/operation";
import { runOperation } from "../core/run";
import { callerOf } from "../http/caller";
import { failureOf } from "../http/failure";
import { setIndexHeaders } from "../http/index-headers";
import type { Env } from "../http/log";
import type { IndexHead } from "../index/head";
import type { Context } from "../operations/context";
import { batchCounter, type CountBytes, MAX_BATCH } from "./batch";
import { summary, topics } from "./introduction";
import { llmsFull, llmsIndex } from "./llms";
import { bufferedRequest } from "./rest/body";
import { rejectOtherMethods } from "./rest/routes";
import { toolNameOf, toolOf, toolOperations } from "./tools";

const ENDPOINT = "/mcp";

const tools = toolOperations.map(({ name, operation }) => toolOf(name, operation));

const toolsBytes = Buffer.byteLength(JSON.stringify(tools));

const operationOfTool = new Map(toolOperations.map(({ name, operation }) => [toolNameOf(name), operation]));

/** The resources for agents: the texts of /llms.txt and /llms-full.txt. */
const resources = [
  {
    uri: "intentry://llms.txt",
    name: "README",
    title: "How to use this service",
    mimeType: "text/markdown",
    textFor: llmsIndex,
  },
  {
    uri: "intentry://llms-full.txt",
    name: "REFERENCE",
    title: "All routes, with examples",
    mimeType: "text/markdown",
    textFor: llmsFull,
  },
];

const instructions = `${summary} ${topics.Values} ${topics.Lists} The resource intentry://llms.txt documents the service.`;

/** Shared, because each server would otherwise create its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** The context of one request. `onFault` receives server errors. */
type RequestContext = {
  caller: Caller;
  onFault: (error: unknown) => void;
  onIndexHead: (head: IndexHead) => void;
  countBytes: CountBytes;
};

/** Runs an operation and returns its output as a tool result. Errors are results too, so the agent can read them. */
async function callTool(
  context: Context,
  operation: AnyCall,
  sent: unknown,
  { caller, onFault, onIndexHead, countBytes }: RequestContext,
): Promise<CallToolResult> {
  try {
    const { output } = await runOperation(context, operation, sent, caller, { onIndexHead });
    const text = operation.document ? String(output) : JSON.stringify(output);
    const content: CallToolResult["content"] = [{ type: "text", text }];
    countBytes(() => (operation.document ? 1 : 2) * Buffer.byteLength(text));
    return operation.document ? { content } : { content, structuredContent: output as Record<string, unknown> };
  } catch (error) {
    const { message, fault } = failureOf(error);
    if (fault) onFault(error);
    return { content: [{ type: "text", text: message }], isError: true };
  }
}

/**
 * Creates the server of one request. It uses the SDK's low-level server: the high-level one validates input itself, with
 * other error messages than REST.
 */
function serverFor(context: Context, request: RequestContext): Server {
  const server = new Server(
    { name: "intentry", title: "Intentry", version: "0.1.0" },
    { capabilities: { tools: {}, resources: {} }, instructions, jsonSchemaValidator },
  );
  /** Counts the bytes of a result that is not a tool's. Too many are a protocol error. */
  const countBytes = (bytes: number) => {
    try {
      request.countBytes(() => bytes);
    } catch (error) {
      throw new McpError(ErrorCode.InvalidRequest, failureOf(error).message);
    }
  };
  server.setRequestHandler(ListToolsRequestSchema, () => {
    countBytes(toolsBytes);
    return { tools };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: sent = {} } }) => {
    const operation = operationOfTool.get(name);
    if (!operation) throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${name}; tools/list returns all tools`);
    return callTool(context, operation, sent, request);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resources.map(({ textFor, ...resource }) => resource),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const resource = resources.find((one) => one.uri === uri);
    if (!resource)
      throw new McpError(ErrorCode.InvalidParams, `Unknown resource ${uri}; resources/list returns all resources`);
    const { mimeType, textFor } = resource;
    const text = textFor(request.caller.baseUrl);
    countBytes(Buffer.byteLength(text));
    return { contents: [{ uri, mimeType, text }] };
  });
  return server;
}

/**
 * Serves the operations as tools of the Model Context Protocol. It is stateless: every request creates its own server, so
 * any process can handle it. There are no sessions, so GET (streams) and DELETE are not supported.
 */
export function mcpRoutes(context: Context, log: Logger): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post(ENDPOINT, async (c) => {
    const received = await bufferedRequest(c);
    // Invalid JSON is left for the transport to reject.
    const parsedBody: unknown = await received
      .clone()
      .json()
      .catch(() => undefined);
    const calls = Array.isArray(parsedBody) ? Math.max(1, parsedBody.length) : 1;
    if (calls > MAX_BATCH) throw new BadInput(`body: must be a batch of at most ${MAX_BATCH} messages`);
    const caller = callerOf(c, context.config);
    context.limits?.countRequests(caller.client, calls - 1);
    const server = serverFor(context, {
      caller,
      onFault: (error) => log.error({ request_id: c.var.requestId, err: error }, "failed request"),
      onIndexHead: (head) => setIndexHeaders(c, head),
      countBytes: batchCounter(calls),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(received, { parsedBody });
    } finally {
      await server.close();
    }
  });
  rejectOtherMethods(routes, ENDPOINT, ["POST"]);
  return routes;
}
