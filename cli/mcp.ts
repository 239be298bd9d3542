import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourcesResultSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
  McpError,
  ReadResourceRequestSchema,
  ReadResourceResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Service } from "./arguments";
import { unreachable } from "./failure";

/** The service's own error, without the words that the SDK puts before it and will put before it again. */
function relayed(url: string, error: unknown): McpError {
  if (!(error instanceof McpError)) return new McpError(ErrorCode.InternalError, unreachable(url, error).message);
  return new McpError(error.code, error.message.replace(/^(MCP error -?\d+: )+/, ""), error.data);
}

/** Serves, on stdin and stdout, the tools and resources that a service has at /mcp: each request is asked there anew. */
export async function serveOverStdio({ url, token }: Service, version: string): Promise<void> {
  const client = new Client({ name: "intentry", version });
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit })).catch((error) => {
    throw unreachable(url, error);
  });
  const relay = <Result>(answer: Promise<Result>): Promise<Result> =>
    answer.catch((error) => {
      throw relayed(url, error);
    });
  const server = new Server(client.getServerVersion() ?? { name: "intentry", version }, {
    capabilities: { tools: {}, resources: {} },
    instructions: client.getInstructions(),
  });
  server.setRequestHandler(ListToolsRequestSchema, (request) => relay(client.request(request, ListToolsResultSchema)));
  server.setRequestHandler(CallToolRequestSchema, (request) => relay(client.request(request, CallToolResultSchema)));
  server.setRequestHandler(ListResourcesRequestSchema, (request) =>
    relay(client.request(request, ListResourcesResultSchema)),
  );
  server.setRequestHandler(ReadResourceRequestSchema, (request) =>
    relay(client.request(request, ReadResourceResultSchema)),
  );
  const ended = new Promise<void>((done) => process.stdin.once("end", done));
  await server.connect(new StdioServerTransport());
  await ended;
  await server.close();
  await client.close();
}
