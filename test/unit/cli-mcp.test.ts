import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Writable } from "node:stream";
import { json, text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { serveOverStdio } from "../../client/cli/mcp";

type Request = { id?: number; method: string; params?: Record<string, unknown> };

const hello = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "intentry", version: "1" },
};

describe("tools over stdio", () => {
  const services: Server[] = [];
  afterEach(() => {
    for (const service of services.splice(0)) {
      service.close();
      service.closeAllConnections();
    }
  });

  /** Starts a service with this handler for tool calls. */
  async function serviceWith(handleCall: () => Promise<{ status: number; body: object }>): Promise<string> {
    const service = createServer(async (request, response) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = (await json(request)) as Request;
      if (id === undefined) return response.writeHead(202).end();
      const { status, body } =
        method === "initialize" ? { status: 200, body: { jsonrpc: "2.0", id, result: hello } } : await handleCall();
      response.writeHead(status, { "content-type": "application/json" });
      return response.end(JSON.stringify("error" in body ? body : { jsonrpc: "2.0", id, ...body }));
    });
    services.push(service);
    await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
    return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  }

  /** Serves an input that ends with a tool call. */
  async function serveCall(url: string, output: Writable, limits: { timeoutMs?: number } = {}): Promise<void> {
    const asked: Request[] = [
      { id: 1, method: "initialize", params: { ...hello, clientInfo: { name: "test", version: "1" } } },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "agents_get", arguments: {} } },
    ];
    const input = new PassThrough();
    input.end(asked.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
    await serveOverStdio({ url, token: undefined }, "1", { input, output, ...limits });
  }

  /** The response to the tool call. */
  async function responseOf(url: string, limits?: { timeoutMs?: number }): Promise<unknown> {
    const output = new PassThrough();
    await serveCall(url, output, limits);
    output.end();
    const lines = (await text(output)).trim().split("\n");
    return lines.map((line) => JSON.parse(line)).find(({ id }) => id === 2);
  }

  it("returns a response that arrives after the end of the input", async () => {
    const result = { content: [{ type: "text", text: "late" }] };
    const url = await serviceWith(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { status: 200, body: { result } };
    });
    expect(await responseOf(url)).toMatchObject({ result });
  });

  it("returns a timeout error when the service never responds", async () => {
    const url = await serviceWith(() => new Promise(() => {}));
    expect(await responseOf(url, { timeoutMs: 50 })).toMatchObject({
      error: { code: -32001, message: expect.stringContaining("timed out") },
    });
  });

  it("ends without an error when its output is closed", async () => {
    const url = await serviceWith(async () => ({ status: 200, body: { result: { content: [] } } }));
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    await expect(serveCall(url, output)).resolves.toBeUndefined();
  });

  it.each([
    { status: 413, error: "body: must have at most 262144 bytes", code: -32600 },
    { status: 503, error: "The request took too long; try again", code: -32603 },
  ])("passes on the message of a response with status $status", async ({ status, error, code }) => {
    const url = await serviceWith(async () => ({ status, body: { error } }));
    expect(await responseOf(url)).toMatchObject({ error: { code, message: `MCP error ${code}: ${error}` } });
  });

  it("reports an invalid response when the body has no message", async () => {
    const url = await serviceWith(async () => ({ status: 502, body: { error: { gateway: "bad" } } }));
    expect(await responseOf(url)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining(`No valid response from ${url}`) },
    });
  });
});
