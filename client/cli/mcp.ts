import type { Readable, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  type ClientRequest,
  ErrorCode,
  GetPromptRequestSchema,
  GetPromptResultSchema,
  ListPromptsRequestSchema,
  ListPromptsResultSchema,
  ListResourcesRequestSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesRequestSchema,
  ListResourceTemplatesResultSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
  McpError,
  ReadResourceRequestSchema,
  ReadResourceResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Service } from "./arguments";
import { unreachable } from "./failure";

/** The request timeout. The service's own is 15 s, so this one only applies when the service is gone. */
const TIMEOUT_MS = 20_000;

/** The body of an error response outside of MCP. */
const ErrorBody = z.object({ error: z.string() });

/** A fetch that throws error responses from outside of MCP, with the service's message. */
async function fetchOrThrow(address: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  if (response.ok || init?.method !== "POST") return response;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const { data: failed } = ErrorBody.safeParse(body);
  if (!failed) return response;
  throw new McpError(response.status < 500 ? ErrorCode.InvalidRequest : ErrorCode.InternalError, failed.error);
}

/** Passes on the service's error without the SDK's prefix, which the SDK adds again. */
function relayed(url: string, error: unknown): McpError {
  if (!(error instanceof McpError)) return new McpError(ErrorCode.InternalError, unreachable(url, error).message);
  return new McpError(error.code, error.message.replace(/^(MCP error -?\d+: )+/, ""), error.data);
}

type Stdio = { input?: Readable; output?: Writable; timeoutMs?: number; outputSchemas?: boolean };

/**
 * Serves the tools, resources and prompts of a service on stdin and stdout. Each request is forwarded to its /mcp. When the input
 * ends, pending requests are completed first.
 */
export async function serveOverStdio(
  { url, token }: Service,
  version: string,
  { input = process.stdin, output = process.stdout, timeoutMs = TIMEOUT_MS, outputSchemas = false }: Stdio = {},
): Promise<void> {
  const client = new Client({ name: "intentry", version });
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  const endpoint = new URL(`${url}/mcp${outputSchemas ? "?output_schemas=true" : ""}`);
  const transport = new StreamableHTTPClientTransport(endpoint, { requestInit, fetch: fetchOrThrow });
  await client.connect(transport).catch((error) => {
    throw unreachable(url, error);
  });
  const pending = new Set<Promise<unknown>>();
  const relay = <Result extends z.ZodType>(request: ClientRequest, result: Result) => {
    const response = client
      .request(request, result, { timeout: timeoutMs })
      .catch((error) => {
        throw relayed(url, error);
      })
      .finally(() => pending.delete(response));
    pending.add(response);
    return response;
  };
  const server = new Server(client.getServerVersion() ?? { name: "intentry", version }, {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: client.getInstructions(),
  });
  server.setRequestHandler(ListToolsRequestSchema, (request) => relay(request, ListToolsResultSchema));
  server.setRequestHandler(CallToolRequestSchema, (request) => relay(request, CallToolResultSchema));
  server.setRequestHandler(ListResourcesRequestSchema, (request) => relay(request, ListResourcesResultSchema));
  server.setRequestHandler(ReadResourceRequestSchema, (request) => relay(request, ReadResourceResultSchema));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, (request) =>
    relay(request, ListResourceTemplatesResultSchema),
  );
  server.setRequestHandler(ListPromptsRequestSchema, (request) => relay(request, ListPromptsResultSchema));
  server.setRequestHandler(GetPromptRequestSchema, (request) => relay(request, GetPromptResultSchema));
  const ended = new Promise<void>((done) => input.once("end", done));
  // The agent may close its end before all responses are written.
  output.on("error", () => {});
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  // The SDK handles a message, and writes a response, one turn of the event loop later.
  await nextTurn();
  await Promise.allSettled(pending);
  await nextTurn();
  await server.close();
  await client.close();
}
