import { connect } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { get, head, host, request } from "../support/gateway-requests";
import { parseAnswer, sendRaw } from "../support/raw-http";
import { type SampleStack, sampleStack } from "../support/shared-stack";

describe("an odd request over a plain connection", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  const ask = (path: string, init?: RequestInit) => request(stack.apiUrl, path, init);
  const isServing = async () => expect(await ask("/health")).toMatchObject({ status: 200 });
  /** The code of an error with this status and message. */
  const codeOf = (status: number, message: unknown) =>
    message instanceof RegExp && status === 400 ? "invalid_input" : codes[status as keyof typeof codes];

  /** Sends one request and parses the response, which must have a request id and a content type. */
  const raw = async (bytes: string | Buffer) => {
    const answer = parseAnswer(await sendRaw(stack.apiUrl, bytes));
    expect(answer.headers["x-request-id"]).toMatch(/^[\w=-]{1,255}$/);
    expect(answer.headers["content-type"]).toMatch(/^application\/json/);
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    return { status: answer.status, body: JSON.parse(answer.body) as unknown };
  };

  const codes = {
    400: "malformed_request",
    404: "unknown_route",
    405: "method_not_allowed",
    431: "headers_too_large",
  } as const;
  const notHttp = "The request is not valid HTTP";
  const unreadable = "The request's URL or Host header is not valid";
  const tooMany = "The request has more than 1000 headers; send fewer";
  /** Headers that mean nothing. */
  const junk = (count: number) => Array.from({ length: count }, (_, place) => `X-${place}: 1`);
  const tooLong = "The request line and headers are longer than 262144 bytes; shorten them";

  it.each([
    ["plain text", "hello there\r\n\r\n", 400, notHttp],
    ["a TLS handshake", Buffer.from("160301020001000001fc0303", "hex"), 400, notHttp],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, notHttp],
    ["a method in lower case", head("get /health HTTP/1.1", host), 400, notHttp],
    ["an unknown method", head("FETCH /health HTTP/1.1", host), 400, notHttp],
    ["another version", head("GET /health HTTP/9.9", host), 400, notHttp],
    ["a header without a colon", get("/health", host, "nonsense"), 400, notHttp],
    ["a header with a space in its name", get("/health", host, "a b: c"), 400, notHttp],
    ["a NUL byte in the path", get("/agents/\0"), 400, notHttp],
    ["a NUL byte in the query", get("/agents?owner=\0"), 400, notHttp],
    ["a NUL byte in a header", get("/health", host, "x-request-id: a\0b"), 400, notHttp],
    ["bytes beyond ASCII in the path", get("/agents/é"), 400, notHttp],
    [
      "two content lengths",
      head("POST /health HTTP/1.1", host, "Content-Length: 1", "Content-Length: 2"),
      400,
      notHttp,
    ],
    [
      "a content length and chunked encoding",
      head("POST /health HTTP/1.1", host, "Content-Length: 1", "Transfer-Encoding: chunked"),
      400,
      notHttp,
    ],
    [
      "a chunk without a length",
      `${head("POST /preflight HTTP/1.1", host, "Transfer-Encoding: chunked")}zz\r\n`,
      400,
      notHttp,
    ],
    ["a path that begins with a backslash", get("\\agents\\1"), 400, notHttp],
    ["a backslash in the path", get("/agents\\1"), 400, unreadable],
    ["a star", get("*"), 400, unreadable],
    ["an invalid absolute URL", get("http://[/agents/1"), 400, unreadable],
    ["an absolute URL of another scheme", get("ftp://localhost/agents/1"), 400, unreadable],
    ["no Host", head("GET /health HTTP/1.1"), 400, unreadable],
    ["no Host in HTTP/1.0", head("GET /health HTTP/1.0"), 400, unreadable],
    ["an empty Host", get("/health", "Host:"), 400, unreadable],
    ["a Host of two words", get("/health", "Host: a b"), 400, unreadable],
    ["a Host with a path", get("/health", "Host: localhost/agents"), 400, unreadable],
    ["a Host with a query", get("/health", "Host: localhost?x"), 400, unreadable],
    ["a Host with a user", get("/health", "Host: user@localhost"), 400, unreadable],
    ["a Host with an invalid port", get("/health", "Host: localhost:99999"), 400, unreadable],
    ["CONNECT", head("CONNECT example.com:443 HTTP/1.1", "Host: example.com:443"), 400, "This server is not a proxy"],
    ["a path over 256 KiB", get(`/agents/${"9".repeat(300_000)}`), 431, tooLong],
    ["a query over 256 KiB", get(`/agents?owner=${"9".repeat(300_000)}`), 431, tooLong],
    ["a header over 256 KiB", get("/health", host, `X-Long: ${"9".repeat(300_000)}`), 431, tooLong],
    ["1,001 headers", get("/health", host, ...junk(999)), 431, tooMany],
    ["1,001 headers on an unknown path", get("/nowhere", host, ...junk(999)), 431, tooMany],
    [
      "a chunked body and 1,001 headers",
      head("POST /preflight HTTP/1.1", host, "Transfer-Encoding: chunked", ...junk(998)),
      431,
      tooMany,
    ],
    ["30,000 headers", get("/health", host, ...Array(30_000).fill("A: b")), 431, tooMany],
    [
      "a proxy's header after 998 others",
      get("/metrics", host, ...junk(998), "X-Forwarded-For: 192.0.2.1"),
      431,
      tooMany,
    ],
    ["a path that starts with two slashes", get("//agents"), 404, "No route GET //agents; see /docs"],
    ["a path of slashes", get("///"), 404, "No route GET //; see /docs"],
    ["an id that is a slash", get("/agents/%2f"), 400, /^agentId: must be/],
    ["an id that is NUL", get("/agents/%00"), 400, /^agentId: must be/],
    ["an id that does not decode", get("/agents/%ff"), 400, /^agentId: must be/],
    ["an id of 200,000 digits", get(`/agents/${"9".repeat(200_000)}`), 400, /^agentId: must be/],
    ["an owner of 200,000 digits", get(`/agents?owner=${"9".repeat(200_000)}`), 400, /^owner: must be/],
    ["a parameter 20,000 times", get(`/solvers?${"limit=1&".repeat(20_000)}`), 400, /^limit: is given more than once$/],
    ["a WebDAV method", head("PROPFIND /health HTTP/1.1", host), 405, /^Method PROPFIND is not allowed/],
    ["TRACE", head("TRACE /health HTTP/1.1", host), 405, /^Method TRACE is not allowed/],
  ] as const)("that is or has %s is rejected", async (_, bytes, status, message) => {
    const sentence = typeof message === "string" ? message : expect.stringMatching(message);
    expect(await raw(bytes)).toEqual({ status, body: { error: sentence, code: codeOf(status, message) } });
    await isServing();
  });

  it.each([
    ["an absolute URL", get("http://other.example/health")],
    ["an absolute URL of https", get("https://other.example/health")],
    ["a path that goes up", get("/agents/../health")],
    ["an encoded path that goes up", get("/agents/%2e%2e/health")],
    ["a path that goes up beyond the root", get("/../../health")],
    ["a fragment", get("/health#fragment")],
    ["an encoded letter", get("/%68ealth")],
    ["1,000 headers", get("/health", host, ...junk(998))],
    ["a body on a GET", `${get("/health", host, "Content-Length: 5")}hello`],
    ["an unknown expectation", get("/health", host, "Expect: the-unexpected")],
    [
      "an unsupported upgrade",
      `GET /health HTTP/1.1\r\n${host}\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
    ],
    ["an entity tag that is not UTF-8", Buffer.from(get("/health", host, "If-None-Match: \xff\xfe"), "latin1")],
    ["a request id that is not UTF-8", Buffer.from(get("/health", host, "X-Request-Id: \xff\xfe"), "latin1")],
  ])("that has %s is served", async (_, bytes) => {
    expect(await raw(bytes)).toMatchObject({ status: 200, body: { status: "ok" } });
  });

  it("that has 15,000 unknown parameters is rejected with one error", async () => {
    const parameters = Array.from({ length: 15_000 }, (_, place) => `a${place}=${place}`).join("&");
    expect(await raw(get(`/health?${parameters}`))).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/^a0: unknown; .*; and 14997 more unknown names$/), code: "invalid_input" },
    });
  });

  it("that is incomplete does not affect others", async () => {
    const { hostname, port } = new URL(stack.apiUrl);
    const hangUp = (bytes: string) =>
      new Promise<void>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.write(bytes, () => socket.resetAndDestroy()));
        socket.on("error", () => {});
        socket.on("close", () => resolve());
      });
    const halves = ["GET /hea", get("/intents"), `POST /preflight HTTP/1.1\r\n${host}\r\nContent-Length: 999\r\n\r\n{`];
    await Promise.all(Array.from({ length: 60 }, (_, place) => hangUp(halves[place % halves.length] ?? "")));
    await isServing();
  });

  it("may follow another on one connection", async () => {
    const text = await sendRaw(
      stack.apiUrl,
      `GET /health HTTP/1.1\r\n${host}\r\n\r\nGET /nowhere HTTP/1.1\r\n${host}\r\n\r\n${get("/agents/x")}`,
    );
    expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "404", "400"]);
  });

  it("logs no unexpected error", () => {
    expect(stack.log()).not.toContain("failed request");
  });
});
