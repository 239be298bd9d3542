import Ajv2020 from "ajv/dist/2020";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createGateway } from "../../api/gateway";
import type { Context } from "../../api/operations/context";
import { freeCalls } from "../../api/operations/index";
import { tools as allTools, toolCalls, toolOperations } from "../../api/transports/tools";
import { toolCall } from "../support/tool-call";

describe("a tool", () => {
  const tools = allTools.map(({ operations, definition }) => ({
    operations,
    tool: definition({ outputSchemas: false }),
  }));

  it("has a unique name that every client accepts", () => {
    const names = tools.map(({ tool }) => tool.name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_]{1,64}$/);
  });

  it("exists for every operation except paid and development ones", () => {
    const left = freeCalls.filter(({ name }) => !toolCalls.has(name));
    expect(left.map(({ name }) => name)).toEqual(["bids.create", "bids.select"]);
  });

  it("accepts the operation's example by its schema, and rejects it without a required field", () => {
    const ajv = new Ajv2020({ strict: false });
    for (const { name, operation } of toolOperations) {
      const call = toolCall(name, operation.example);
      const { tool } = tools.find((one) => one.tool.name === call.name) ?? {};
      if (!tool) throw new Error(`${name} has no tool`);
      const accepts = ajv.compile(tool.inputSchema);
      // REST sends booleans and numbers as strings.
      const typed = Object.fromEntries(
        Object.entries(call.arguments).map(([name, value]) => {
          const { type } = (tool.inputSchema.properties as Record<string, { type?: string }>)[name] ?? {};
          return [
            name,
            type === "boolean" ? value === "true" || value === true : type === "integer" ? Number(value) : value,
          ];
        }),
      );
      expect(accepts(typed), `${tool.name} ${JSON.stringify(accepts.errors)}`).toBe(true);
      for (const name of tool.inputSchema.required ?? []) {
        const { [name]: _, ...rest } = typed;
        expect(accepts(rest), `${tool.name} without ${name}`).toBe(false);
      }
    }
  });

  it("declares whether it writes", () => {
    const readOnly = { readOnlyHint: true };
    const writing = { destructiveHint: false, idempotentHint: true };
    for (const { operations, tool } of tools)
      expect(tool.annotations, tool.name).toEqual(
        operations.some(({ writes, errors = [] }) => writes || errors.includes(401)) ? writing : readOnly,
      );
    const named = new Map(tools.map(({ tool }) => [tool.name, tool.annotations]));
    expect(named.get("prepare_payment")).toEqual(readOnly);
    // An object as metadata is published as a document.
    expect(named.get("prepare_registration")).toEqual(writing);
  });
});

describe("/mcp", () => {
  type Line = { level: number; msg: string; request_id: string; err?: { message: string } };

  /** A gateway over a database that throws, its log lines, and a function to call it. */
  function gatewayWith(config: object, error = new Error("password of user hunter2")) {
    const lines: Line[] = [];
    const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const fail = () => {
      throw error;
    };
    const gateway = createGateway({ db: { select: fail }, head: fail, store: fail, config } as unknown as Context, log);
    const send = async (body: string, headers: Record<string, string> = {}, query = "") =>
      gateway.request(`/mcp${query}`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
        body,
      });
    const call = async (name: string, input: object, headers?: Record<string, string>) => {
      const params = { name, arguments: input };
      const response = await send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }), headers);
      return { response, body: await response.json() };
    };
    return { gateway, lines, send, call };
  }

  it("responds to an unexpected error without details, and logs them with the request id", async () => {
    const { call, lines } = gatewayWith({});
    const { response, body } = await call("agents_get", { agentId: "1" });
    expect(response.status).toBe(200);
    const text = "Internal error; the server's log has the details under this request's id";
    const _meta = { "intentry/code": "internal_error" };
    expect(body).toEqual({
      jsonrpc: "2.0",
      id: 1,
      result: { content: [{ type: "text", text }], isError: true, _meta },
    });
    const request_id = response.headers.get("x-request-id");
    expect(lines[0]).toMatchObject({ level: 50, request_id, err: { message: "password of user hunter2" } });
  });

  it("rejects writes without a token if tokens are required", async () => {
    const { call } = gatewayWith({ writeTokens: ["a-token-that-may-write"] });
    const input = { catalog_json: "{}" };
    const publish = (sent: object, headers?: Record<string, string>) =>
      call("documents_publish", { kind: "catalogs", input: sent }, headers);
    const text = "authorization: must be 'Bearer <token>' with a valid write token";
    const _meta = { "intentry/code": "unauthorized" };
    const refused = { result: { content: [{ type: "text", text }], isError: true, _meta } };
    expect((await publish(input)).body).toMatchObject(refused);
    const wrong = { authorization: "Bearer another-token-than-that" };
    expect((await publish(input, wrong)).body).toMatchObject(refused);
    const right = { authorization: "Bearer a-token-that-may-write" };
    const { result } = (await publish(input, right)).body as {
      result: { content: { text: string }[] };
    };
    // The call reached the store, which throws here.
    expect(result.content[0]?.text).toContain("Internal error");
  });

  it("rejects calls of a tool of several operations without a valid choice, and fields that are not in their place", async () => {
    const { call } = gatewayWith({});
    const textOf = async (sent: object) => (await call("prepare_sale", sent)).body.result.content[0].text;
    const from = `0x${"a1".repeat(20)}`;
    const sales = "commitQuote, recordReceipt, recordFulfillment, openDispute, resolveDispute, recordTrustSignal";
    expect(await textOf({ from, input: {} })).toBe("action: is required");
    for (const action of ["submitBid", "constructor", 1])
      expect(await textOf({ action, from, input: {} })).toBe(`action: must be one of ${sales}`);
    expect(await textOf({ action: "openDispute", from, receipt_id: "1" })).toBe(
      "receipt_id: unknown; the names are action, from, account, signer, input",
    );
    expect(await textOf({ action: "openDispute", from, input: "{}" })).toBe("input: must be a JSON object");
    expect(await textOf({ action: "openDispute", from, input: { receipt: "1" } })).toMatch(/^receipt: unknown; /);
    expect(await textOf({ action: "openDispute", from, input: { receipt_id: "x" } })).toMatch(/^receipt_id: must be /);
    expect(await textOf({ action: "openDispute", input: { receipt_id: "1" } })).toBe("from: is required");
    const other = `0x${"b2".repeat(20)}`;
    expect(await textOf({ action: "openDispute", from, input: { from: other, receipt_id: "1" } })).toBe(
      "from: is sent twice, with different values",
    );
    // The input of a next step has it, too. The operation gets as far as the index.
    expect(await textOf({ action: "openDispute", from, input: { from, receipt_id: "1" } })).toMatch(/^Internal error/);
  });

  it("rejects unknown tools, development tools, and names of Object.prototype", async () => {
    const { call } = gatewayWith({});
    for (const name of ["nothing_here", "bids_create", "portfolio_get", "constructor", ""])
      expect((await call(name, {})).body).toMatchObject({ error: { code: -32602 } });
  });

  it("responds to GET and DELETE with 405: it has no streams or sessions", async () => {
    const { gateway } = gatewayWith({});
    for (const method of ["GET", "DELETE", "PUT"]) {
      const response = await gateway.request("/mcp", { method });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST, OPTIONS");
    }
  });

  it("rejects oversized bodies, invalid JSON and invalid messages, and continues to work", async () => {
    const { send } = gatewayWith({});
    expect((await send("x".repeat(256 * 1024 + 1))).status).toBe(413);
    for (const body of ["", "{", "[]", "{}", '"text"', "[[1]]", "null"]) {
      const response = await send(body);
      expect(response.status, body).toBeLessThan(500);
    }
    expect((await send("{}", { accept: "text/html" })).status).toBe(406);
    expect((await send("{}", { "content-type": "text/plain" })).status).toBe(415);
    const ping = await send('{"jsonrpc":"2.0","id":7,"method":"ping"}');
    expect(await ping.json()).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  });

  const listTools = (count: number) =>
    JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: "2.0", id, method: "tools/list" })));

  it("lists tools with output schemas only if asked for", async () => {
    const { send } = gatewayWith({});
    const schemasWith = async (query: string) => {
      const response = await send('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', {}, query);
      const { result } = (await response.json()) as { result: { tools: { outputSchema?: object }[] } };
      return result.tools.filter(({ outputSchema }) => outputSchema).length;
    };
    const documents = allTools.filter(({ operations }) => operations.some(({ document }) => document));
    expect(await schemasWith("")).toBe(0);
    expect(await schemasWith("?output_schemas=false")).toBe(0);
    expect(await schemasWith("?output_schemas=true")).toBe(allTools.length - documents.length);
    const wrong = await send(listTools(1), {}, "?output_schemas=yes");
    expect([wrong.status, await wrong.json()]).toMatchObject([400, { error: "output_schemas: must be true or false" }]);
  });

  it("rejects a batch of more than 50 messages", async () => {
    const { send } = gatewayWith({});
    const refused = await send(listTools(51));
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: "body: must be a batch of at most 50 messages", code: "invalid_input" },
    ]);
  });

  it("limits the bytes of a batch's results, but not those of one call", async () => {
    const { send } = gatewayWith({});
    const one = await (await send(listTools(1), {}, "?output_schemas=true")).text();
    const response = await send(listTools(50), {}, "?output_schemas=true");
    const text = await response.text();
    expect(one.length).toBeGreaterThan(80_000);
    expect(text.length).toBeLessThan(4.3 * 1024 * 1024);
    const results = JSON.parse(text) as { result?: object; error?: { message: string } }[];
    expect(results).toHaveLength(50);
    expect(results.filter(({ result }) => result).length).toBeGreaterThan(10);
    const message =
      "MCP error -32600: The results of this batch have more than 4194304 bytes; send fewer calls at once";
    expect(results.at(-1)?.error).toMatchObject({ code: -32600, message });
  });

  it("allows MCP's headers from browsers of any origin", async () => {
    const { gateway } = gatewayWith({});
    const asked = "authorization,content-type,mcp-protocol-version,mcp-session-id";
    const response = await gateway.request("/mcp", {
      method: "OPTIONS",
      headers: {
        origin: "https://app.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": asked,
      },
    });
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    expect(response.headers.get("access-control-allow-headers")).toBe(asked);
  });
});
