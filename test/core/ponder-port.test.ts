import { beforeAll, describe, expect, it } from "vitest";
import { owner } from "../support/gateway-requests";
import { graphql } from "../support/npm-start";
import { parseAnswer, sendRaw } from "../support/raw-http";
import { type SampleStack, sampleStack } from "../support/shared-stack";

describe("Ponder's port", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  const both = (path: string, init?: RequestInit) =>
    Promise.all([stack.apiUrl, stack.ponderUrl].map((url) => fetch(url + path, init)));

  it.each(["/intents", "/intents?limit=2&total=true", "/agents/1", "/agents/x", "/nowhere"])(
    "serves %s like the gateway",
    async (path) => {
      const [direct, mounted] = await both(path);
      expect(mounted?.status).toBe(direct?.status);
      for (const name of ["content-type", "etag"]) expect(mounted?.headers.get(name)).toBe(direct?.headers.get(name));
      expect(await mounted?.text()).toBe(await direct?.text());
    },
  );

  it("serves /docs like the gateway, with its own address in the examples", async () => {
    const [direct, mounted] = await both("/docs");
    expect(mounted?.status).toBe(200);
    expect(mounted?.headers.get("content-type")).toBe(direct?.headers.get("content-type"));
    const text = (await direct?.text())?.replaceAll(stack.apiUrl, stack.ponderUrl);
    expect(await mounted?.text()).toBe(text);
  });

  it("serves methods and bodies like the gateway", async () => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ account: owner, target: owner, value: "0", data: "0x" });
    const [direct, mounted] = await both("/preflight", { method: "POST", headers, body });
    expect(direct?.status).toBe(200);
    expect(await mounted?.json()).toEqual(await direct?.json());
    for (const response of await both("/intents", { method: "PUT" })) expect(response.status).toBe(405);
    for (const response of await both("/intents", { method: "HEAD" })) expect(response.status).toBe(200);
  });

  it("reads the body of a GET, so that it is not taken for the next request of a connection", async () => {
    const smuggled = "GET /agents/1 HTTP/1.1\r\nHost: x\r\n\r\n";
    const head = ["GET /nowhere HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "Connection: close", "", ""];
    const attack = `${head.join("\r\n")}${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`;
    const answer = parseAnswer(await sendRaw(stack.ponderUrl, attack));
    expect([answer.status, JSON.parse(answer.body)]).toMatchObject([404, { code: "unknown_route" }]);
  });

  it("serves the event stream without buffering", async () => {
    const closed = new AbortController();
    const { body } = await fetch(`${stack.ponderUrl}/events?from_block=0`, { signal: closed.signal });
    const first = await body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toMatch(/^event: |^id: |^retry: |^: /);
    closed.abort();
  });

  it("keeps Ponder's own routes and GraphQL", async () => {
    const status = await (await fetch(`${stack.ponderUrl}/status`)).json();
    expect(status).toMatchObject({ protocol: { id: 31337 } });
    expect(await (await fetch(`${stack.ponderUrl}/metrics`)).text()).toContain("ponder_");
    const { agents } = await graphql(
      new URL(stack.ponderUrl).port,
      '{ agents(orderBy: "agentId", limit: 1) { items { agentId owner } } }',
    );
    expect(agents?.items).toEqual([{ agentId: "1", owner }]);
  });

  it("rejects a GraphQL query that is deeper than the introspection query", async () => {
    /** A query of filter types, which refer to themselves. */
    const queryOf = (levels: number) =>
      `{ __type(name: "agentFilter") ${"{ inputFields { type { ofType ".repeat(levels)}{ name }${" } } }".repeat(levels)} }`;
    const ask = async (levels: number) => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ query: queryOf(levels) });
      return (await fetch(`${stack.ponderUrl}/graphql`, { method: "POST", headers, body })).text();
    };
    expect(await ask(6)).toContain('"name":"agentFilter"');
    expect(await ask(7)).toContain("Query depth limit of 21 exceeded, found 23.");
    expect(await ask(30)).toContain("Query depth limit of 21 exceeded, found 92.");
  });
});
