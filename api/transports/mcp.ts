import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { Hono } from "hono";
import type { Logger } from "pino";
import { VERSION } from "../../config/version";
import { BadInput } from "../core/errors";
import { flag, isJsonObject } from "../core/inputs";
import type { AnyCall, Caller } from "../core/operation";
import { runOperation } from "../core/run";
import { failureOf, reportFailure } from "../http/failure";
import { type Env, reply, setIndexHead } from "../http/reply";
import type { IndexHead } from "../indexed/head";
import type { Context } from "../operations/context";
import { batchCounter, type CountBytes, MAX_BATCH } from "./batch";
import { summary, topics } from "./introduction";
import { getPrompt, prompts } from "./mcp-prompts";
import { readResource, resources, resourceTemplates } from "./mcp-resources";
import { bufferedRequest } from "./rest/body";
import { readQuery } from "./rest/query";
import { rejectOtherMethods } from "./rest/routes";
import { tools as allTools, type McpTool, type ToolOptions } from "./tools";

const ENDPOINT = "/mcp";

/** The tools with or without output schemas, and their size. */
const toolsWith = (options: ToolOptions) => {
  const tools = allTools.map(({ definition }) => definition(options));
  return { tools, bytes: Buffer.byteLength(JSON.stringify(tools)) };
};

const shortTools = toolsWith({ outputSchemas: false });

let completeTools: ReturnType<typeof toolsWith> | undefined;

/** The tools with output schemas. Few clients ask for them, so they are created when they are first used. */
function toolsWithOutput() {
  completeTools ??= toolsWith({ outputSchemas: true });
  return completeTools;
}

const toolNamed = new Map(allTools.map((tool) => [tool.name, tool]));

const preparing =
  "Tools named prepare_* never sign or send: they return transactions or typed data for the wallet of `from`, with a summary, a simulation and warnings. `input` has the fields of the chosen action, as the tool's description lists them; a question mark means optional. Amounts are in the smallest unit or with a symbol (`1.5 tUSD`), deadlines are unix seconds or durations (`30m`), tokens are addresses or listed symbols. `account`: `policy` if `from` is a policy account, whose `signer` sends the transactions.";

const instructions = `${summary} ${topics.Values} ${topics.Lists} ${preparing} Results are in structuredContent. The resource intentry://llms.txt documents the service.`;

/** Shared, because each server would otherwise create its own. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** The context of one request. */
type RequestContext = {
  caller: Caller;
  /** Whether tools/list includes output schemas. */
  outputSchemas: boolean;
  log: Logger;
  onIndexHead: (head: IndexHead) => void;
  countBytes: CountBytes;
};

/** Calls a tool and returns the output of its operation as a result. Errors are results too, so the agent can read them. */
async function callTool(
  context: Context,
  tool: McpTool,
  sent: Record<string, unknown>,
  { caller, log, onIndexHead, countBytes }: RequestContext,
): Promise<CallToolResult> {
  try {
    const { operation, input } = tool.resolve(sent);
    const output = await runOperation(context, operation, input, caller, { onIndexHead });
    const text = operation.document ? String(output) : JSON.stringify(output);
    const content: CallToolResult["content"] = [{ type: "text", text }];
    countBytes(() => (operation.document ? 1 : 2) * Buffer.byteLength(text));
    return operation.document ? { content } : { content, structuredContent: output as Record<string, unknown> };
  } catch (error) {
    const { code, message, details = {} } = reportFailure(error, log);
    const texts = [message, ...(Object.keys(details).length > 0 ? [JSON.stringify(details)] : [])];
    // Not in structuredContent: clients compare it with the tool's output schema.
    const content: CallToolResult["content"] = texts.map((text) => ({ type: "text", text }));
    return { content, isError: true, _meta: { "intentry/code": code } };
  }
}

/**
 * Creates the server of one request. It uses the SDK's low-level server: the high-level one validates input itself, with
 * other error messages than REST.
 */
function serverFor(context: Context, request: RequestContext): Server {
  const server = new Server(
    { name: "intentry", title: "Intentry", version: VERSION },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions, jsonSchemaValidator },
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
    const { tools, bytes } = request.outputSchemas ? toolsWithOutput() : shortTools;
    countBytes(bytes);
    return { tools };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: sent = {} } }) => {
    const tool = toolNamed.get(name);
    if (!tool) throw new McpError(ErrorCode.InvalidParams, `Unknown tool ${name}; tools/list returns all tools`);
    return callTool(context, tool, sent, request);
  });
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources }));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => {
    const { caller, log, onIndexHead } = request;
    const run = async (operation: AnyCall, input: Record<string, unknown>) =>
      runOperation(context, operation, input, caller, { onIndexHead });
    const content = await readResource(uri, caller.baseUrl, run).catch((error: unknown) => {
      if (error instanceof McpError) throw error;
      const { message, status } = reportFailure(error, log);
      throw new McpError(status < 500 ? ErrorCode.InvalidParams : ErrorCode.InternalError, message);
    });
    countBytes(Buffer.byteLength(content.text));
    return { contents: [content] };
  });
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: values = {} } }) => {
    const prompt = getPrompt(name, values);
    countBytes(Buffer.byteLength(JSON.stringify(prompt)));
    return prompt;
  });
  return server;
}

/**
 * Throws for arguments with the name `__proto__`, which the SDK drops before it calls a handler. No tool or prompt has it, and
 * an unknown name is an error.
 */
function rejectPrototype(body: unknown): void {
  for (const message of Array.isArray(body) ? body : [body]) {
    const params = isJsonObject(message) ? message.params : undefined;
    const sent = isJsonObject(params) ? params.arguments : undefined;
    if (isJsonObject(sent) && Object.hasOwn(sent, "__proto__"))
      throw new BadInput("__proto__: unknown; tools/list and prompts/list have the names");
  }
}

const queryNames = new Set(["output_schemas"]);

/** The query parameter `output_schemas`. */
function outputSchemasIn(url: string): boolean {
  const { output_schemas } = readQuery(new URL(url).search.slice(1), queryNames);
  const parsed = flag.optional().safeParse(output_schemas);
  if (!parsed.success) throw new BadInput("output_schemas: must be true or false");
  return parsed.data ?? false;
}

/**
 * Serves the operations as tools of the Model Context Protocol. It is stateless: every request creates its own server, so
 * any process can handle it. There are no sessions, so GET (streams) and DELETE are not supported.
 */
export function mcpRoutes(context: Context, log: Logger): Hono<Env> {
  const routes = new Hono<Env>();
  routes.post(ENDPOINT, async (c) => {
    c.set("operation", "mcp");
    const outputSchemas = outputSchemasIn(c.req.url);
    const received = await bufferedRequest(c);
    // Invalid JSON is left for the transport to reject.
    const parsedBody: unknown = await received
      .clone()
      .json()
      .catch(() => undefined);
    rejectPrototype(parsedBody);
    const calls = Array.isArray(parsedBody) ? Math.max(1, parsedBody.length) : 1;
    if (calls > MAX_BATCH) throw new BadInput(`body: must be a batch of at most ${MAX_BATCH} messages`);
    const { caller } = c.var;
    context.limits?.countRequests(caller.client, calls - 1);
    const server = serverFor(context, {
      caller,
      outputSchemas,
      log,
      onIndexHead: (head) => setIndexHead(c, head),
      countBytes: batchCounter(calls),
    });
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
    await server.connect(transport);
    try {
      const response = await transport.handleRequest(received, { parsedBody });
      const { status, headers } = response;
      // A notification has no answer.
      return reply(c, { status, headers: Object.fromEntries(headers), body: (await response.text()) || null });
    } finally {
      await server.close();
    }
  });
  rejectOtherMethods(routes, ENDPOINT, ["POST"]);
  return routes;
}
