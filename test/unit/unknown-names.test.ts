import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { unknownNames } from "../../api/core/input-object";
import { parseInput } from "../../api/core/run";
import { createGateway } from "../../api/gateway";
import type { Context } from "../../api/operations/context";
import { allOperations, calls, freeCalls } from "../../api/operations/index";
import { routeOf } from "../../api/transports/rest/route";
import { toolOperations, tools } from "../../api/transports/tools";
import { call } from "../../client/cli/call";
import { filterOf } from "../../client/cli/inputs";
import { toolCall } from "../support/tool-call";
import { withoutIndex } from "../support/without-index";

type Named = (typeof allOperations)[number];
type Input = Record<string, unknown>;

/** Every access to the index, the store, the chain and the payments fails: unknown names are rejected before. */
const unused = () => Promise.reject(new Error("The request was not rejected"));
const config = { devHelpers: true, writeTokens: [], chainId: 31337 };
const context = { ...withoutIndex, store: unused, head: unused, clock: unused, config } as unknown as Context;
const gateway = createGateway(context, pino({ level: "silent" }));

/** The error of a response, whatever its transport. */
type Refusal = { status: number; error: string | undefined };

const json = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
  body: JSON.stringify(body),
});

async function rest({ operation }: Named, input: Input): Promise<Refusal> {
  const { method, path, pathParameters } = routeOf(operation);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(operation.example[name])));
  const others = Object.entries(input).filter(([name]) => !pathParameters.includes(name));
  const query = others.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`);
  const response =
    method === "GET"
      ? await gateway.request(`${filled}?${query.join("&")}`)
      : await gateway.request(filled, { ...json(Object.fromEntries(others)), method });
  return { status: response.status, error: (await response.json()).error };
}

async function trpc({ name }: Named, input: Input): Promise<Refusal> {
  const response = await gateway.request(`/trpc/${name}`, json(input));
  const { error } = await response.json();
  return { status: response.status, error: error?.message };
}

async function mcp({ name }: Named, input: Input): Promise<Refusal> {
  const params = toolCall(name, input);
  const response = await gateway.request("/mcp", json({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  const { result, error } = await response.json();
  return result
    ? { status: result.isError ? 400 : 200, error: result.content[0].text }
    : { status: response.status, error };
}

async function commandLine({ name }: Named, input: Input): Promise<Refusal> {
  const served = globalThis.fetch;
  globalThis.fetch = async (url, init) => gateway.request(String(url), init);
  try {
    await call({ url: "http://localhost", token: undefined }, name, input);
    return { status: 200, error: undefined };
  } catch (error) {
    return { status: 400, error: error instanceof Error ? error.message : undefined };
  } finally {
    globalThis.fetch = served;
  }
}

const isTool = ({ name }: Named) => toolOperations.some((tool) => tool.name === name);
const isFree = ({ name }: Named) => freeCalls.some((free) => free.name === name);

/** The transports that serve an operation. */
const transportsOf = (named: Named) => [
  { transport: "REST", send: rest, names: routeOf(named.operation).otherParameters },
  ...(isFree(named)
    ? [
        { transport: "tRPC", send: trpc, names: new Set(Object.keys(named.operation.input.shape)) },
        { transport: "the command line", send: commandLine, names: new Set(Object.keys(named.operation.input.shape)) },
      ]
    : []),
  ...(isTool(named) ? [{ transport: "MCP", send: mcp, names: new Set(Object.keys(named.operation.input.shape)) }] : []),
];

/** Misspellings of a name: a letter dropped, doubled or swapped, another case, and camelCase instead of snake_case or back. */
function misspellings(name: string): string[] {
  const places = Array.from(name, (_, place) => place);
  const changed = [
    ...places.map((place) => name.slice(0, place) + name.slice(place + 1)),
    ...places.map((place) => name.slice(0, place) + name[place] + name.slice(place)),
    ...places.map(
      (place) => name.slice(0, place) + (name[place + 1] ?? "") + (name[place] ?? "") + name.slice(place + 2),
    ),
    name.toUpperCase(),
    name.charAt(0).toUpperCase() + name.slice(1),
    name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name.replaceAll("_", "-"),
    `${name}s`,
  ];
  return [...new Set(changed)].filter((one) => one !== "" && one !== name);
}

const served = allOperations.flatMap((named) =>
  transportsOf(named).map((one) => ({ name: named.name, named, ...one })),
);

describe("an unknown name", () => {
  it.each(served)("of $name is rejected on $transport before anything runs", async ({ named, send, names }) => {
    for (const name of ["xyzzy", "utm_source", "__proto__"]) {
      const input = JSON.parse(JSON.stringify(named.operation.example).replace(/}$/, ',"§":"1"}').replace("{,", "{"));
      const sent = Object.fromEntries(Object.entries(input).map(([key, value]) => [key === "§" ? name : key, value]));
      const { status, error } = await send(named, sent);
      expect([status, error?.startsWith(`${name}: unknown; `)], error).toEqual([400, true]);
      if (names.size > 0 && name === "xyzzy") expect(error).toContain([...names].join(", "));
    }
  });

  it.each(allOperations)("that misspells one of $name is rejected with the name that was meant", ({ operation }) => {
    const { otherParameters } = routeOf(operation);
    const known = Object.keys(operation.input.shape);
    const errorOf = (input: Input) => {
      try {
        return parseInput(context, operation, input);
      } catch (error) {
        return error instanceof Error ? error.message : error;
      }
    };
    // There are thousands, so that an `expect` for each would take most of the time.
    const cases = known.flatMap((name) =>
      misspellings(name)
        .filter((one) => !known.includes(one))
        .map((misspelled) => ({ name, misspelled, problem: `${misspelled}: unknown; did you mean ${name}?` })),
    );
    const errors = cases.map(({ name, misspelled }) => {
      const { [name]: value = "1", ...others } = operation.example;
      return errorOf({ ...others, [misspelled]: value });
    });
    expect(errors).toEqual(cases.map(({ problem }) => expect.stringContaining(problem)));
    const inQuery = cases.filter(({ name }) => otherParameters.has(name));
    expect(inQuery.map(({ misspelled }) => unknownNames([misspelled], otherParameters))).toEqual(
      inQuery.map(({ problem }) => [problem]),
    );
  });

  it.each(served)("that misspells one of $name on $transport is never ignored", async ({ named, send, names }) => {
    for (const name of names) {
      const misspelled = `${name}${name.at(-1)}`;
      const { [name]: value = "1", ...others } = named.operation.example;
      const { status, error } = await send(named, { ...others, [misspelled]: value });
      expect([status, error]).toEqual([400, `${misspelled}: unknown; did you mean ${name}?`]);
    }
  });

  it("in an object of the input is rejected with its path", async () => {
    const payment = { merchant: "0x1", tokn: "0x2" };
    const preflight = calls.find(({ name }) => name === "preflight.check");
    const normalize = calls.find(({ name }) => name === "payments.normalize");
    if (!preflight || !normalize) throw new Error("The operations have other names");
    for (const send of [rest, trpc, mcp, commandLine]) {
      expect((await send(preflight, { ...preflight.operation.example, payment })).error).toBe(
        "payment.tokn: unknown; did you mean token?",
      );
      const quote = { x402PayloadHash: "0x" };
      expect((await send(normalize, { ...normalize.operation.example, quote })).error).toBe(
        "quote.x402PayloadHash: unknown; did you mean x402_payload_hash?",
      );
    }
  });

  it("in the query of a request with a body, of tRPC, of MCP and of the stream is rejected", async () => {
    const errorOf = async (path: string, init?: RequestInit) => {
      const response = await gateway.request(path, init);
      const { error } = await response.json();
      return [response.status, error.message ?? error];
    };
    expect(await errorOf("/preflight?value=5", json({}))).toEqual([
      400,
      "value: unknown in the query; send it in the body",
    ]);
    expect(await errorOf("/preflight?utm=5", json({}))).toEqual([400, "utm: unknown; no names are accepted here"]);
    expect(await errorOf('/trpc/intents.list?inptu={"status":"open"}')).toEqual([
      400,
      "inptu: unknown; did you mean input?",
    ]);
    expect(await errorOf("/mcp?output_schema=true", json({}))).toEqual([
      400,
      "output_schema: unknown; did you mean output_schemas?",
    ]);
    for (const method of ["GET", "POST"])
      expect((await gateway.request("/events?nam=IntentFilled", { method })).status).toBe(method === "GET" ? 400 : 405);
    expect(await errorOf("/events?nam=IntentFilled")).toEqual([400, "nam: unknown; did you mean name?"]);
    expect((await gateway.request("/events?nam=IntentFilled", { method: "HEAD" })).status).toBe(400);
  });

  it("that REST has in the path or in a header is rejected in the query and in the body", async () => {
    const errorOf = async (path: string, init?: RequestInit) =>
      (await (await gateway.request(path, init)).json()).error;
    expect(await errorOf("/agents/1?agentId=2")).toBe("agentId: unknown; the names are include");
    expect(await errorOf("/bids/offchain-1/select", json({ bidId: "offchain-2" }))).toBe(
      "bidId: unknown; no names are accepted here",
    );
    const signed = { ...json({ owner_signature: "0x01" }), method: "PUT" };
    expect(await errorOf("/intents/1/metadata", signed)).toBe(
      "owner_signature: unknown in the body; send it as the header x-owner-signature",
    );
  });

  it("costs little, however many and however long names are sent", () => {
    const known = new Set(["value", "data"]);
    const start = performance.now();
    const many = Array.from({ length: 30_000 }, (_, number) => `name_${number}`);
    expect(unknownNames(many, known)).toEqual([
      ...many.slice(0, 3).map((name) => `${name}: unknown; the names are value, data`),
      "and 29997 more unknown names",
    ]);
    expect(unknownNames(["v".repeat(100_000)], known)).toEqual([
      `${"v".repeat(60)}…: unknown; the names are value, data`,
    ]);
    expect(unknownNames(["", "valeu", "valeu", "value"], known)).toEqual([
      '"": unknown; the names are value, data',
      "valeu: unknown; did you mean value?",
    ]);
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it("of a filter of live events is rejected by the command line", () => {
    expect(() => filterOf(["nam=IntentFilled"], ["name", "account"])).toThrow("nam: unknown; did you mean name?");
    expect(() => filterOf(["xyzzy=1"], ["name", "account"])).toThrow("xyzzy: unknown; the names are name, account");
  });
});

describe("the schema of a tool", () => {
  it.each(tools)("of $name has no additional properties", ({ definition }) => {
    expect(definition({ outputSchemas: false }).inputSchema.additionalProperties).toBe(false);
  });
});

describe("a name that documented clients send and that has no effect", () => {
  it("is accepted on every transport", async () => {
    const ignoring = allOperations.filter(({ operation }) => operation.ignored);
    expect(ignoring.map(({ name, operation }) => [name, operation.ignored?.[0]])).toEqual([
      ["intents.putMetadata", "metadata_uri"],
      ["intents.reserveMetadata", "metadata_uri"],
      ["payments.normalize", "quote.quote_hash"],
    ]);
    for (const named of ignoring.slice(0, 2))
      for (const send of [rest, trpc, mcp, commandLine]) {
        const { error } = await send(named, { ...named.operation.example, metadata_uri: "ipfs://intent" });
        // It got as far as the index.
        expect(error).toMatch(/^Internal error/);
      }
    const [, , normalize] = ignoring;
    if (!normalize) throw new Error("payments.normalize ignores nothing");
    const quote = { quote_hash: "0x", agent: "0x", settled: false, x402_payload_hash: "" };
    for (const send of [rest, trpc, mcp, commandLine])
      expect((await send(normalize, { ...normalize.operation.example, quote })).status).toBe(200);
  });
});
