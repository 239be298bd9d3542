import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { allOperations, calls, freeCalls } from "../../api/operations/index";
import { exampleSources } from "../../api/transports/example-sources";
import { routeOf } from "../../api/transports/rest/route";
import { tools as allTools, toolCalls, toolOperations } from "../../api/transports/tools";
import { actor } from "../../stack/local/chain";
import { cli, cliFile } from "../support/cli-run";
import { addressOf } from "../support/lists/asking";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { toolCall } from "../support/tool-call";

type Result = { content: { type: string; text: string }[]; structuredContent?: unknown; isError?: boolean };

const paid = calls.filter((named) => !freeCalls.includes(named));

/** The values of an input as strings, like in REST. */
const asTexts = (input: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]));

/** The first value of a key, at any depth. */
function findKey(answer: unknown, key: string): unknown {
  if (typeof answer !== "object" || answer === null) return undefined;
  const own = (answer as Record<string, unknown>)[key];
  return (
    own ??
    Object.values(answer)
      .map((member) => findKey(member, key))
      .find((value) => value !== undefined)
  );
}

describe("the interfaces for agents, on the sample chain", () => {
  let stack: SampleStack;
  let url: string;

  beforeAll(async () => {
    stack = await sampleStack();
    url = stack.apiUrl;
  }, 240_000);

  describe("llms.txt and llms-full.txt", () => {
    it.each(["/llms.txt", "/llms-full.txt"])("%s is Markdown as plain text with an entity tag", async (path) => {
      const response = await fetch(`${url}${path}`);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")?.toLowerCase()).toBe("text/plain; charset=utf-8");
      const text = await response.text();
      expect(text).toMatch(/^# Intentry/);
      const etag = response.headers.get("etag") ?? "";
      const again = await fetch(`${url}${path}`, { headers: { "if-none-match": etag } });
      expect(again.status).toBe(304);
      const head = await fetch(`${url}${path}`, { method: "HEAD", headers: { "accept-encoding": "identity" } });
      expect(head.headers.get("content-length")).toBe(String(Buffer.byteLength(text)));
      expect((await fetch(`${url}${path}`, { method: "POST" })).status).toBe(405);
    });

    it("llms.txt has no dead links", async () => {
      const text = await (await fetch(`${url}/llms.txt`)).text();
      const links = new Set([...text.matchAll(/\]\(([^)#]*)/g)].map(([, link = ""]) => link));
      expect(links.size).toBeGreaterThanOrEqual(5);
      for (const link of links) {
        expect(link.startsWith(`${url}/`)).toBe(true);
        const { status } = await fetch(link);
        expect({ link, status }).toEqual({
          link,
          status: { "/mcp": 405, "/trpc": 404 }[new URL(link).pathname] ?? 200,
        });
      }
    });

    it("every example of llms-full.txt works as pasted", async () => {
      const text = await (await fetch(`${url}/llms-full.txt`)).text();
      const sections = text.split(/^### /m).filter((section) => section.includes("```sh\n"));
      expect(sections.map((section) => section.split("\n")[0])).toEqual(
        allOperations.map(({ operation }) => operation.route),
      );
      for (const section of sections) {
        const [, lines = ""] = /```sh\n([^`]*)```/.exec(section) ?? [];
        const isPaid = paid.some(({ operation }) => section.startsWith(`${operation.route}\n`));
        // The last request also prints its status.
        const asked = lines.replace(/^curl -s (?![\s\S]*^curl)/m, "curl -s -w '\\n%{http_code}' ");
        const { stdout } = await promisify(execFile)("sh", ["-c", asked]);
        if (section.startsWith("GET /events")) {
          expect(stdout).toContain('"event":"IntentCancelled"');
          continue;
        }
        const status = stdout.slice(stdout.lastIndexOf("\n") + 1);
        expect(status, `${lines}${stdout}`).toMatch(isPaid ? /^402$/ : /^20[01]$/);
      }
    });
  });

  describe("MCP over HTTP", () => {
    const client = new Client({ name: "test", version: "1" });
    let tools: Tool[];
    /** Parameters that depend on the chain, by operation. */
    const found: Record<string, Record<string, unknown>> = {};

    beforeAll(async () => {
      await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp?output_schemas=true`)));
      ({ tools } = await client.listTools());
      for (const [name, { parameter, source }] of Object.entries(exampleSources)) {
        const operation = toolOperations.find((one) => one.name === source.operation)?.operation;
        if (!operation) continue;
        const result = await call(source.operation, operation.example);
        found[name] = { [parameter]: findKey(result.structuredContent, source.key) };
      }
    });
    afterAll(() => client.close());

    const call = async (operation: string, input: Record<string, unknown>) =>
      (await client.callTool(toolCall(operation, input))) as Result;

    it("returns its name, and lists its tools", () => {
      expect(client.getServerVersion()).toMatchObject({ name: "intentry", title: "Intentry" });
      expect(client.getInstructions()).toContain("intentry://llms.txt");
      expect(tools.map(({ name }) => name)).toEqual(allTools.map(({ name }) => name));
      for (const { description, inputSchema } of tools) {
        expect(description).toMatch(/^[A-Z].*\.$/);
        expect(inputSchema.type).toBe("object");
      }
    });

    it.each(toolOperations)("$name returns the same as REST for its example", async ({ name, operation }) => {
      const input = { ...operation.example, ...found[name] };
      const { content, structuredContent, isError } = await call(name, input);
      expect(isError, JSON.stringify(content)).toBeUndefined();
      expect(content).toHaveLength(1);
      const text = content[0]?.text ?? "";
      const { method, path } = routeOf(operation);
      // Client.callTool has validated it against the tool's schema.
      if (!operation.document) expect(JSON.parse(text)).toEqual(structuredContent);
      if (method !== "GET") return;
      const rest = await (await fetch(`${url}${addressOf(path, asTexts(input))}`)).text();
      expect(text).toBe(rest);
    });

    const withParameters = toolOperations.filter(({ operation }) => Object.keys(operation.input.shape).length > 0);

    it.each(withParameters)("$name rejects an invalid value and names its parameter", async ({ name, operation }) => {
      const parameters = Object.keys(operation.input.shape);
      const wrong = Object.fromEntries(parameters.map((parameter) => [parameter, [true]]));
      const { content, structuredContent, isError } = await call(name, wrong);
      expect(isError).toBe(true);
      expect(structuredContent).toBeUndefined();
      const problems = content[0]?.text.split("; ") ?? [];
      const named = parameters.map(
        (parameter) => Object.entries(operation.headers ?? {}).find(([, part]) => part === parameter)?.[0] ?? parameter,
      );
      for (const parameter of named)
        expect(
          problems.some((problem) => problem.startsWith(`${parameter}: `) || problem.startsWith(`${parameter}.`)),
          parameter,
        ).toBe(true);
    });

    const reads = withParameters.filter(({ operation }) => routeOf(operation).method === "GET");

    it.each(reads)("$name rejects invalid input with the message of REST", async ({ name, operation }) => {
      const input = Object.fromEntries(
        Object.keys(operation.input.shape).map((parameter) => [parameter, "x".repeat(161)]),
      );
      const response = await fetch(`${url}${addressOf(routeOf(operation).path, input)}`);
      const { error } = (await response.json()) as { error?: string };
      const { content, isError } = await call(name, input);
      expect({ status: response.status, isError, text: content[0]?.text }).toEqual({
        status: 400,
        isError: true,
        text: error,
      });
    });

    it("accepts native values as well as strings", async () => {
      const texts = await call("intents.list", { limit: "2", total: "true" });
      expect(await call("intents.list", { limit: 2, total: true })).toEqual(texts);
      expect(await call("intents.get", { id: 1 })).toEqual(await call("intents.get", { id: "1" }));
    });

    it("reports missing items and conflicts", async () => {
      expect(await call("agents.get", { agentId: "999" })).toEqual({
        content: [{ type: "text", text: "Agent 999 not found" }],
        isError: true,
        _meta: { "intentry/code": "not_found" },
      });
      const conflict = await call("documents.publishCatalog", {
        catalog_json: "{}",
        expected_hash: `0x${"1f".repeat(32)}`,
      });
      expect(conflict.isError).toBe(true);
      expect(conflict.content[0]?.text).toMatch(/^expected_hash: is /);
    });

    it("stores a published document", async () => {
      const text = JSON.stringify({ services: ["from an agent"], "": "ü\u2028" });
      const { structuredContent } = await call("documents.publishCatalog", { catalog_json: text, merchant_id: 1 });
      const { catalog_hash: hash, uri } = structuredContent as { catalog_hash: string; uri: string };
      expect(await (await fetch(uri)).text()).toBe(text);
      expect((await call("documents.getCatalog", { hash })).content).toEqual([{ type: "text", text }]);
    });

    it("has no paid or development tools, and rejects unknown names", async () => {
      const others = [...paid.map(({ name }) => name), "portfolio.get", "bids.create", "bids.select", "no.such"];
      for (const name of others) {
        expect(toolCalls.has(name), name).toBe(false);
        await expect(call(name, {})).rejects.toThrow(`Unknown tool ${name.replace(".", "_")};`);
      }
    });

    it("has llms.txt as its README", async () => {
      const { resources } = await client.listResources();
      expect(resources.map(({ uri, name }) => [uri, name])).toEqual([
        ["intentry://llms.txt", "README"],
        ["intentry://llms-full.txt", "REFERENCE"],
      ]);
      for (const { uri } of resources) {
        const { contents } = await client.readResource({ uri });
        const served = await (await fetch(`${url}/${uri.replace("intentry://", "")}`)).text();
        expect(contents).toEqual([{ uri, mimeType: "text/markdown", text: served }]);
      }
      await expect(client.readResource({ uri: "intentry://other" })).rejects.toThrow(
        "Unknown resource intentry://other",
      );
    });

    it("reads published documents as resources, by kind and hash", async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(["intentry://documents/{kind}/{hash}"]);
      const kinds = /kind is one of (.*)\./.exec(resourceTemplates[0]?.description ?? "")?.[1]?.split(", ") ?? [];
      expect(kinds).toHaveLength(5);
      for (const kind of kinds) {
        const { operation } = toolOperations.find((one) => one.operation.route === `GET /${kind}/{hash}`) ?? {};
        const { hash } = operation?.example ?? {};
        const uri = `intentry://documents/${kind}/${hash}`;
        const text = await (await fetch(`${url}/${kind}/${hash}`)).text();
        expect((await client.readResource({ uri })).contents).toEqual([{ uri, mimeType: "application/json", text }]);
      }
      const missing = `0x${"00".repeat(32)}`;
      for (const [path, message] of [
        [`catalogs/${missing}`, `Catalog ${missing} not found`],
        ["catalogs/1", "hash: must be a hash: 0x and 64 hex digits"],
        [`agents/${missing}`, "the kind of document must be one of catalogs, "],
      ])
        await expect(client.readResource({ uri: `intentry://documents/${path}` })).rejects.toThrow(message);
    });

    it("reads recent events, newest first, by name and subject", async () => {
      const recent = async (input: object) => {
        const { structuredContent } = (await client.callTool({
          name: "recent_events",
          arguments: { ...input },
        })) as Result;
        return (structuredContent as { events: { id: string; event: string; args: Record<string, unknown> }[] }).events;
      };
      const all = await recent({ limit: 100 });
      expect(all.length).toBeGreaterThan(50);
      expect(all.map(({ id }) => id)).toEqual(
        all
          .map(({ id }) => id)
          .sort()
          .reverse(),
      );
      const ofIntent = await recent({ intent_id: "1" });
      expect(ofIntent).toEqual(all.filter(({ args }) => args.intentId === "1"));
      expect(ofIntent.length).toBeGreaterThan(2);
      expect(await recent({ name: "IntentFilled", limit: 1 })).toEqual(
        all.filter(({ event }) => event === "IntentFilled").slice(0, 1),
      );
      expect(await recent({ name: "AgentRegistered", intent_id: "1" })).toEqual([]);
    });

    it("gives each role of the market its instructions", async () => {
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(["solver", "merchant", "buyer", "dispute"]);
      const address = actor(3).address;
      for (const { name } of prompts) {
        const values = {
          address,
          ...(name === "buyer" && { need: "weather forecasts" }),
          ...(name === "dispute" && { receipt_id: "1" }),
        };
        const { messages } = await client.getPrompt({ name, arguments: values });
        expect(messages).toMatchObject([{ role: "user", content: { type: "text" } }]);
        expect(JSON.stringify(messages)).toContain(address);
      }
      await expect(client.getPrompt({ name: "solver", arguments: { adress: address } })).rejects.toThrow(
        "adress: unknown; did you mean address?",
      );
      await expect(client.getPrompt({ name: "buyer", arguments: { address: "0x" } })).rejects.toThrow(
        "need: is required",
      );
    });

    it("serves concurrent calls, each with its own response", async () => {
      const ids = Array.from({ length: 60 }, (_, place) => String((place % 4) + 1));
      const answers = await Promise.all(ids.map((agentId) => call("agents.get", { agentId })));
      expect(answers.map(({ structuredContent }) => findKey(structuredContent, "agent_id"))).toEqual(ids);
    });
  });

  describe("MCP over stdio", () => {
    const client = new Client({ name: "test", version: "1" });

    beforeAll(async () => {
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [cliFile, "mcp", "--url", url],
          stderr: "inherit",
        }),
      );
    });
    afterAll(() => client.close());

    it("has the same tools and resources as the service's /mcp", async () => {
      const direct = new Client({ name: "test", version: "1" });
      await direct.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
      expect(client.getServerVersion()).toEqual(direct.getServerVersion());
      expect(client.getInstructions()).toBe(direct.getInstructions());
      expect(await client.listTools()).toEqual(await direct.listTools());
      expect(await client.listResources()).toEqual(await direct.listResources());
      expect(await client.listResourceTemplates()).toEqual(await direct.listResourceTemplates());
      expect(await client.listPrompts()).toEqual(await direct.listPrompts());
      const solver = { name: "solver", arguments: { address: actor(3).address } };
      expect(await client.getPrompt(solver)).toEqual(await direct.getPrompt(solver));
      const readme = { uri: "intentry://llms.txt" };
      expect(await client.readResource(readme)).toEqual(await direct.readResource(readme));
      await direct.close();
    });

    it("lists output schemas with --output-schemas", async () => {
      const complete = new Client({ name: "test", version: "1" });
      const args = [cliFile, "mcp", "--url", url, "--output-schemas"];
      await complete.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "inherit" }));
      const direct = new Client({ name: "test", version: "1" });
      await direct.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp?output_schemas=true`)));
      const { tools } = await complete.listTools();
      expect(tools).toEqual((await direct.listTools()).tools);
      expect(tools.filter(({ outputSchema }) => outputSchema).length).toBeGreaterThan(tools.length / 2);
      // The SDK compares the result with the schema.
      const found = await complete.callTool({ name: "agents_get", arguments: { agentId: "1" } });
      expect(found.structuredContent).toEqual(await (await fetch(`${url}/agents/1`)).json());
      await Promise.all([complete.close(), direct.close()]);
    });

    it("calls tools with valid and invalid input", async () => {
      const good = await client.callTool({ name: "agents_get", arguments: { agentId: "1" } });
      expect(good.structuredContent).toEqual(await (await fetch(`${url}/agents/1`)).json());
      const bad = await client.callTool({ name: "agents_get", arguments: {} });
      expect(bad).toEqual({
        content: [{ type: "text", text: "agentId: is required" }],
        isError: true,
        _meta: { "intentry/code": "invalid_input" },
      });
      await expect(client.callTool({ name: "portfolio_get", arguments: {} })).rejects.toThrow(
        /^MCP error -32602: (MCP error -32602: )?Unknown tool portfolio_get; tools\/list returns all tools$/,
      );
    });

    it("passes on the service's error for an oversized request", async () => {
      const large = { catalog_json: JSON.stringify({ services: ["x".repeat(300_000)] }) };
      await expect(client.callTool(toolCall("documents.publishCatalog", large))).rejects.toThrow(
        /^(MCP error -32600: )+body: must have at most 262144 bytes$/,
      );
      expect(await client.callTool({ name: "status", arguments: { kind: "health" } })).not.toHaveProperty("isError");
    });

    it("responds to all requests before the end of its input, and then ends", async () => {
      const asked = [
        {
          id: 1,
          method: "initialize",
          params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
        },
        { method: "notifications/initialized" },
        { id: 2, method: "tools/call", params: { name: "agents_get", arguments: { agentId: "1" } } },
        { id: 3, method: "tools/call", params: { name: "portfolio_get", arguments: {} } },
        { id: 4, method: "resources/list" },
      ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
      const { code, stdout, stderr } = await cli(["mcp", "--url", url], {}, asked.join(""));
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const answers = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .sort((one, other) => one.id - other.id);
      expect(answers.map(({ id, error }) => [id, error?.message])).toEqual([
        [1, undefined],
        [2, undefined],
        [3, expect.stringMatching(/Unknown tool portfolio_get; tools\/list returns all tools$/)],
        [4, undefined],
      ]);
      expect(answers[1].result.structuredContent).toEqual(await (await fetch(`${url}/agents/1`)).json());
    });
  });
});
