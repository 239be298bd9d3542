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
import type { AnyCall, Caller } from "../core/operation";
import { runOperation } from "../core/run";
import { callerOf } from "../http/caller";
import { failureOf } from "../http/failure";
import { setIndexHeaders } from "../http/index-headers";
import type { Env } from "../http/log";
import type { IndexHead } from "../index/head";
import type { Context } from "../operations/context";
import { summary, topics } from "./introduction";
import { llmsFull, llmsIndex } from "./llms";
import { boundedRequest } from "./rest/body";
import { refuseOtherMethods } from "./rest/routes";
import { toolNameOf, toolOf, toolOperations } from "./tools";

const ENDPOINT = "/mcp";

const tools = toolOperations.map(({ name, operation }) => toolOf(name, operation));

const operationOfTool = new Map(toolOperations.map(({ name, operation }) => [toolNameOf(name), operation]));

/** What agents can read besides: the same text as on the route of that name. */
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
    title: "Every route, with an example",
    mimeType: "text/markdown",
    textFor: llmsFull,
  },
];

const instructions = `${summary} ${topics.Values} ${topics.Lists} The resource intentry://llms.txt says how to do everything.`;

/** Servers ask for it when they are made, and would each make their own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Who asks, and what to do about a failure that is ours. */
type Asked = { caller: Caller; onFault: (error: unknown) => void; onIndexHead: (head: IndexHead) => void };

/** The answer of REST as a tool's result; its errors too, which an agent is to read and to act on. */
async function callTool(
  context: Context,
  operation: AnyCall,
  sent: unknown,
  { caller, onFault, onIndexHead }: Asked,
): Promise<CallToolResult> {
  try {
    const { output } = await runOperation(context, operation, sent, caller, { onIndexHead });
    if (operation.document) return { content: [{ type: "text", text: String(output) }] };
    return {
      content: [{ type: "text", text: JSON.stringify(output) }],
      structuredContent: output as Record<string, unknown>,
    };
  } catch (error) {
    const { message, fault } = failureOf(error);
    if (fault) onFault(error);
    return { content: [{ type: "text", text: message }], isError: true };
  }
}

/**
 * A server for one request. It is the SDK's plain one: the other wants to check inputs itself, and would word a wrong
 * parameter differently than REST.
 */
function serverFor(context: Context, asked: Asked): Server {
  const server = new Server(
    { name: "intentry", title: "Intentry", version: "0.1.0" },
    { capabilities: { tools: {}, resources: {} }, instructions, jsonSchemaValidator },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: sent = {} } }) => {
    const operation = operationOfTool.get(name);
    if (!operation) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name}`);
    return callTool(context, operation, sent, asked);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({
    resources: resources.map(({ textFor, ...resource }) => resource),
  }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const resource = resources.find((one) => one.uri === uri);
    if (!resource) throw new McpError(ErrorCode.InvalidParams, `There is no resource ${uri}`);
    const { mimeType, textFor } = resource;
    return { contents: [{ uri, mimeType, text: textFor(asked.caller.baseUrl) }] };
  });
  return server;
}

/**
 * Serves the operations as tools of the Model Context Protocol. There are no sessions: every request has a server of its
 * own, so any process can answer it, and there is nothing to open a stream for or to delete.
 */
export function mcpRoutes(context: Context, log: Logger): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post(ENDPOINT, async (c) => {
    const server = serverFor(context, {
      caller: callerOf(c, context.config),
      onFault: (error) => log.error({ request_id: c.var.requestId, err: error }, "failed request"),
      onIndexHead: (head) => setIndexHeaders(c, head),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      return await transport.handleRequest(await boundedRequest(c));
    } finally {
      await server.close();
    }
  });
  refuseOtherMethods(routes, ENDPOINT, ["POST"]);
  return routes;
}
