import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClientLimits } from "../../api/core/client-limits";
import { createGateway } from "../../api/gateway";
import { listen } from "../../api/http/listener";
import { TIME_LIMIT_MS } from "../../api/http/request";
import type { Context } from "../../api/operations/context";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import { freePorts } from "../../stack/roles/ports";
import { withoutIndex } from "../support/without-index";

type Line = { level: number; msg: string; request_id?: string; path?: string; status?: number };

/** A gateway whose index, events and portfolio do what `read` does, and the lines that it logs. */
function openGateway(
  read: () => Promise<never>,
  requestsPerMinute?: number,
  events: Context["events"] = { subscribe: read },
) {
  const lines: Line[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const context: Context = {
    ...withoutIndex,
    head: read,
    store: read,
    events,
    portfolio: { chains: ["local"], snapshot: read },
    limits: createClientLimits({ requestsPerMinute, readsAtOnce: undefined }, () => 30_000),
    config: {
      ...parseEnvironment({ NODE_ENV: "test" }),
      x402DevBypass: true,
      trustProxy: true,
      chainId: baseSepolia.chainId,
      contracts: baseSepolia.contracts,
      cursorSecret: async () => "a secret for tests",
      listed: new Map(),
    },
  };
  return { gateway: createGateway(context, log, undefined, Promise.resolve(undefined)), lines };
}

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const toolCall = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "agents_get", arguments: { agentId: "1" } },
};

/** A request over each transport, the format of its errors, and whether an error of the operation is part of a result with status 200. */
const transports: [name: string, path: string, init: RequestInit, format: "json" | "trpc" | "html", isResult?: true][] =
  [
    ["REST", "/agents/1", {}, "json"],
    [
      "REST with a body",
      "/preflight",
      {
        method: "POST",
        headers: json,
        body: JSON.stringify({ account: `0x${"1".repeat(40)}`, target: `0x${"1".repeat(40)}` }),
      },
      "json",
    ],
    ["tRPC", `/trpc/agents.get?input=${encodeURIComponent('{"agentId":"1"}')}`, {}, "trpc"],
    ["MCP", "/mcp", { method: "POST", headers: json, body: JSON.stringify(toolCall) }, "json", true],
    ["SSE", "/events", {}, "json"],
    ["a paid route", `/portfolio?address=0x${"1".repeat(40)}&chains=local`, {}, "json"],
    ["the explorer", "/explore/intents", { headers: { accept: "text/html" } }, "html"],
  ];

const formats = {
  json: (code: string, message: string, _: number) => ({ error: message, code }),
  trpc: (errorCode: string, message: string, httpStatus: number) => ({
    error: { message, data: { errorCode, httpStatus } },
  }),
};

async function expectError(response: Response, format: "json" | "trpc" | "html", code: string, message: string) {
  const { status, headers } = response;
  const text = await response.text();
  if (format === "html") {
    expect(headers.get("content-type")).toBe("text/html; charset=UTF-8");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(text).toContain(message);
  } else {
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(JSON.parse(text)).toMatchObject(formats[format](code, message, status));
  }
  expect(headers.get("access-control-allow-origin")).toBe("*");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
}

describe.each(transports)("a request over %s", (_, path, init, format, isResult) => {
  const send = (gateway: ReturnType<typeof openGateway>["gateway"], headers: Record<string, string> = {}) =>
    gateway.request(path, { ...init, headers: { ...(init.headers as object), ...headers } });

  it("is limited, with the time until the next", async () => {
    const { gateway, lines } = openGateway(() => Promise.reject(new Error("no index")), 1);
    await send(gateway, { "x-forwarded-for": "192.0.2.1" });
    const refused = await send(gateway, { "x-forwarded-for": "192.0.2.1" });
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("30");
    expect(refused.headers.get("ratelimit")).toBe("limit=1, remaining=0, reset=30");
    await expectError(refused, format, "rate_limited", "More than 1 requests in a minute; try again in 30 s");
    expect(lines.at(-1)).toMatchObject({ msg: "request", status: 429 });
    expect((await send(gateway, { "x-forwarded-for": "192.0.2.2" })).status).not.toBe(429);
  });

  it("is logged once, and every line has its id", async () => {
    const { gateway, lines } = openGateway(() => Promise.reject(new Error("secret")));
    const response = await send(gateway, { "x-request-id": "request-7" });
    expect(response.headers.get("x-request-id")).toBe("request-7");
    expect(lines.map(({ msg }) => msg)).toEqual(["failed request", "request"]);
    expect(new Set(lines.map(({ request_id }) => request_id))).toEqual(new Set(["request-7"]));
    expect(lines[1]).toMatchObject({ path: path.split("?")[0], status: response.status });
  });

  it("has an error without details if it fails, in the format of the transport", async () => {
    const { gateway } = openGateway(() => Promise.reject(new Error("secret")));
    const response = await send(gateway);
    const message = "Internal error; the server's log has the details under this request's id";
    if (isResult) {
      expect(await response.json()).toMatchObject({ result: { isError: true, content: [{ text: message }] } });
      return;
    }
    expect(response.status).toBe(500);
    await expectError(response, format, "internal_error", message);
  });

  describe("that takes too long", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
    afterEach(() => void vi.useRealTimers());

    it("is a 503 at the time limit, and not before", async () => {
      const { gateway, lines } = openGateway(() => new Promise(() => {}));
      const responding = send(gateway);
      await vi.advanceTimersByTimeAsync(TIME_LIMIT_MS - 1);
      expect(lines).toEqual([]);
      await vi.advanceTimersByTimeAsync(2);
      const response = await responding;
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
      await expectError(response, format, "unavailable", "The request took too long; try again");
      expect(lines).toMatchObject([{ msg: "request", status: 503 }]);
    });
  });
});

describe("a request that took too long", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
  afterEach(() => void vi.useRealTimers());

  it("ends a subscription that is accepted afterwards, which nobody would read", async () => {
    let accept = (_: unknown) => {};
    let signal: AbortSignal | undefined;
    const subscribe = (_selection: unknown, _client: string, given: AbortSignal) => {
      signal = given;
      return new Promise((resolve) => (accept = resolve));
    };
    const { gateway } = openGateway(() => new Promise(() => {}), undefined, { subscribe } as never);
    const responding = gateway.request("/events");
    await vi.advanceTimersByTimeAsync(TIME_LIMIT_MS + 1);
    expect((await responding).status).toBe(503);
    expect(signal?.aborted).toBe(false);
    accept((async function* () {})());
    await vi.advanceTimersByTimeAsync(0);
    expect(signal?.aborted).toBe(true);
  });
});

describe("a batch of httpBatchStreamLink", () => {
  it("is streamed through the listener, with one framing", async () => {
    const { gateway } = openGateway(() => Promise.reject(new Error("no index")));
    const [port = 0] = await freePorts(1);
    const listener = listen(gateway, { port, host: "127.0.0.1" }, pino({ level: "silent" }));
    try {
      const url = `http://127.0.0.1:${port}/trpc/status.health,status.health?batch=1&input=%7B%7D`;
      // drain() would wait for an idle connection.
      const response = await fetch(url, { headers: { accept: "application/jsonl", connection: "close" } });
      expect([response.status, response.headers.get("content-length")]).toEqual([200, null]);
      expect((await response.text()).match(/"service":"intentry"/g)).toHaveLength(2);
    } finally {
      await listener.drain();
    }
  });
});

describe("the limit on requests", () => {
  it("counts HEAD, preflights and unknown routes like others", async () => {
    const { gateway } = openGateway(() => Promise.reject(new Error("no index")), 3);
    const headers = { "x-forwarded-for": "192.0.2.3" };
    const statuses = [];
    for (const [path, method] of [
      ["/health", "HEAD"],
      ["/agents", "OPTIONS"],
      ["/nowhere", "GET"],
      ["/health", "HEAD"],
    ] as const)
      statuses.push((await gateway.request(path, { method, headers })).status);
    expect(statuses).toEqual([200, 204, 404, 429]);
  });

  it.each([
    ["ports of an address", (number: number) => `192.0.2.4:${40_000 + number}`],
    ["ports of an IPv6 address", (number: number) => `[2001:db8:1:2::3]:${40_000 + number}`],
    ["zones of an IPv6 address", (number: number) => `fe80::1%eth${number}`],
    ["addresses of an IPv6 network", (number: number) => `2001:db8:1:3::${number}`],
    ["spellings of an IPv4 address", (number: number) => `${number % 2 ? "::ffff:" : ""}192.0.2.5`],
  ])("counts all %s as one client: 30 of 60 requests pass", async (_, client) => {
    const { gateway } = openGateway(() => Promise.reject(new Error("no index")), 30);
    const get = async (address: string) =>
      (await gateway.request("/health", { headers: { "x-forwarded-for": `203.0.113.1, ${address}` } })).status;
    const statuses = [];
    for (let number = 0; number < 60; number++) statuses.push(await get(client(number)));
    expect(statuses).toEqual([...Array(30).fill(200), ...Array(30).fill(429)]);
    expect(await get("192.0.2.6:1")).toBe(200);
  });
});
