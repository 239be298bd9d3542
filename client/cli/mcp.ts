import type { Readable, Writable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  CallToolResultSchema,
  type ClientRequest,
  ErrorCode,
  ListResourcesRequestSchema,
  ListResourcesResultSchema,
  ListToolsRequestSchema,
  ListToolsResultSchema,
  McpError,
  ReadResourceRequestSchema,
  ReadResourceResultSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import type { Service } from "./arguments";
import { unreachable } from "./failure";

/** How long the service may take for an answer. It gives itself 15 s, so this is only for one that has gone. */
const ANSWER_MS = 20_000;

/** How the service says that it refuses a request as a whole. */
const Refusal = z.object({ error: z.string() });

/** Asks as fetch does, but throws what the service says when it refuses. */
async function fetchOrRefusal(address: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(address, init);
  if (response.ok || init?.method !== "POST") return response;
  const answer: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  const { data: refusal } = Refusal.safeParse(answer);
  if (!refusal) return response;
  throw new McpError(response.status < 500 ? ErrorCode.InvalidRequest : ErrorCode.InternalError, refusal.error);
}

/** The service's own error, without the words that the SDK puts before it and will put before it again. */
function relayed(url: string, error: unknown): McpError {
  if (!(error instanceof McpError)) return new McpError(ErrorCode.InternalError, unreachable(url, error).message);
  return new McpError(error.code, error.message.replace(/^(MCP error -?\d+: )+/, ""), error.data);
}

type Stdio = { input?: Readable; output?: Writable; answerMs?: number };

/**
 * Serves, on stdin and stdout, the tools and resources that a service has at /mcp: each request is asked there anew. When the
 * input ends, what was asked before is still answered.
 */
export async function serveOverStdio(
  { url, token }: Service,
  version: string,
  { input = process.stdin, output = process.stdout, answerMs = ANSWER_MS }: Stdio = {},
): Promise<void> {
  const client = new Client({ name: "intentry", version });
  const requestInit = token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit, fetch: fetchOrRefusal });
  await client.connect(transport).catch((error) => {
    throw unreachable(url, error);
  });
  const underWay = new Set<Promise<unknown>>();
  const relay = <Result extends z.ZodType>(request: ClientRequest, result: Result) => {
    const answer = client
      .request(request, result, { timeout: answerMs })
      .catch((error) => {
        throw relayed(url, error);
      })
      .finally(() => underWay.delete(answer));
    underWay.add(answer);
    return answer;
  };
  const server = new Server(client.getServerVersion() ?? { name: "intentry", version }, {
    capabilities: { tools: {}, resources: {} },
    instructions: client.getInstructions(),
  });
  server.setRequestHandler(ListToolsRequestSchema, (request) => relay(request, ListToolsResultSchema));
  server.setRequestHandler(CallToolRequestSchema, (request) => relay(request, CallToolResultSchema));
  server.setRequestHandler(ListResourcesRequestSchema, (request) => relay(request, ListResourcesResultSchema));
  server.setRequestHandler(ReadResourceRequestSchema, (request) => relay(request, ReadResourceResultSchema));
  const ended = new Promise<void>((done) => input.once("end", done));
  // Who has gone needs no answers.
  output.on("error", () => {});
  await server.connect(new StdioServerTransport(input, output));
  await ended;
  // The last requests are asked a turn after they were read, and answered a turn after their answers came.
  await turn();
  await Promise.allSettled(underWay);
  await turn();
  await server.close();
  await client.close();
}
