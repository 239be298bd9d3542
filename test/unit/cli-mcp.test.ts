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

  /** A service that answers the calls of tools as it is told to, or not at all. */
  async function serviceThat(answersCall: () => Promise<{ status: number; body: object }>): Promise<string> {
    const service = createServer(async (request, response) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = (await json(request)) as Request;
      if (id === undefined) return response.writeHead(202).end();
      const { status, body } =
        method === "initialize" ? { status: 200, body: { jsonrpc: "2.0", id, result: hello } } : await answersCall();
      response.writeHead(status, { "content-type": "application/json" });
      return response.end(JSON.stringify("error" in body ? body : { jsonrpc: "2.0", id, ...body }));
    });
    services.push(service);
    await new Promise<void>((listening) => service.listen(0, "127.0.0.1", listening));
    return `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  }

  /** Serves an input whose last thing is the call of a tool. */
  async function serveCall(url: string, output: Writable, limits: { answerMs?: number } = {}): Promise<void> {
    const asked: Request[] = [
      { id: 1, method: "initialize", params: { ...hello, clientInfo: { name: "test", version: "1" } } },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/call", params: { name: "agents_get", arguments: {} } },
    ];
    const input = new PassThrough();
    input.end(asked.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
    await serveOverStdio({ url, token: undefined }, "1", { input, output, ...limits });
  }

  /** What the call is answered. */
  async function answerOf(url: string, limits?: { answerMs?: number }): Promise<unknown> {
    const output = new PassThrough();
    await serveCall(url, output, limits);
    output.end();
    const answers = (await text(output)).trim().split("\n");
    return answers.map((line) => JSON.parse(line)).find(({ id }) => id === 2);
  }

  it("gives the answer of a service that takes longer than the input lasts", async () => {
    const result = { content: [{ type: "text", text: "late" }] };
    const url = await serviceThat(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { status: 200, body: { result } };
    });
    expect(await answerOf(url)).toMatchObject({ result });
  });

  it("waits no longer than a while for a service that never answers, and says so", async () => {
    const url = await serviceThat(() => new Promise(() => {}));
    expect(await answerOf(url, { answerMs: 50 })).toMatchObject({
      error: { code: -32001, message: expect.stringContaining("timed out") },
    });
  });

  it("ends in peace when nobody takes its answers any more", async () => {
    const url = await serviceThat(async () => ({ status: 200, body: { result: { content: [] } } }));
    const output = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    await expect(serveCall(url, output)).resolves.toBeUndefined();
  });

  it.each([
    { status: 413, error: "body: must have at most 262144 bytes", code: -32600 },
    { status: 503, error: "The request took too long; try again", code: -32603 },
  ])("passes on what a service says that refuses with $status", async ({ status, error, code }) => {
    const url = await serviceThat(async () => ({ status, body: { error } }));
    expect(await answerOf(url)).toMatchObject({ error: { code, message: `MCP error ${code}: ${error}` } });
  });

  it("says that a service does not answer as Intentry does when it gives no reason", async () => {
    const url = await serviceThat(async () => ({ status: 502, body: { error: { gateway: "bad" } } }));
    expect(await answerOf(url)).toMatchObject({
      error: { code: -32603, message: expect.stringContaining(`${url} does not answer as Intentry does`) },
    });
  });
});
