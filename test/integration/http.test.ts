import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/chain";
import { graphql } from "./npm-start";
import { documentedRoutes } from "./openapi-routes";
import { parseAnswer, sendRaw } from "./raw-http";
import { type SampleStack, sampleStack } from "./sample-stack";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const owner = actor(1).address.toLowerCase();

/** A request with status 200 for each documented path. */
const readable = [
  "/agents/1",
  `/agents?owner=${owner}`,
  "/intents/1",
  "/intents",
  "/intents?limit=2&total=true",
  "/intents/1/bids",
  `/accounts/${owner}/policies`,
  "/attestations/1",
  "/attestations?revoked=false",
  "/solvers/1",
  "/solvers",
  "/attestors/1",
  "/attestors",
  "/merchants/1",
  "/merchants",
  "/merchants/1/reputation",
  "/services/1",
  "/services",
  "/facilitators/1",
  "/facilitators",
  "/quotes",
  "/receipts/1",
  "/receipts",
  "/disputes/1",
  "/disputes",
  "/trust-signals",
  "/analytics/commerce",
  "/health",
  "/ready",
  "/openapi.json",
  "/docs",
  "/docs/reference.js",
];

const refused = [
  "/agents",
  "/agents/x",
  "/agents/999999",
  "/nowhere",
  "/",
  "/agents/1/",
  `/tx/0x${"de".repeat(32)}/explain`,
];

/** Every path with its methods. */
const known = new Map<string, Set<string>>(
  ["/openapi.json", "/docs", "/docs/reference.js"].map((path) => [path, new Set(["GET"])]),
);
for (const { method, path } of documentedRoutes) {
  const filled = path.replace(/\{\w+\}/g, "1");
  known.set(filled, (known.get(filled) ?? new Set()).add(method));
}

const host = "Host: localhost";
const head = (line: string, ...headers: string[]) => `${[line, ...headers, "Connection: close"].join("\r\n")}\r\n\r\n`;
const get = (target: string, ...headers: string[]) =>
  head(`GET ${target} HTTP/1.1`, ...(headers.length > 0 ? headers : [host]));

describe("the gateway's HTTP", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  /** Sends a request, and checks that the response has a request id and allows every origin. */
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(stack.apiUrl + path, init);
    const { status, headers } = response;
    expect(headers.get("x-request-id")).toMatch(/^[\w=-]{1,255}$/);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    return { status, headers, body: await response.text() };
  };
  const isServing = async () => expect(await ask("/health")).toMatchObject({ status: 200 });
  const error = (message: unknown = expect.any(String)) => ({ error: message });

  it("keeps idle connections open longer than clients and proxies do", async () => {
    for (const path of ["/health", "/nowhere"]) {
      const answer = await sendRaw(
        stack.apiUrl,
        `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\nGET ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
      );
      expect(answer).toContain("Keep-Alive: timeout=75");
    }
  });

  describe("the request id", () => {
    it("is unique for each response, whatever its status", async () => {
      const { headers } = await ask("/health");
      const etag = headers.get("etag") ?? "";
      const answers = [
        await ask("/health"),
        await ask("/health", { headers: { "if-none-match": etag } }),
        await ask("/agents/x"),
        await ask("/nowhere"),
        await ask("/health", { method: "POST" }),
        await ask("/health", { method: "OPTIONS" }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 304, 400, 404, 405, 204]);
      const ids = answers.map(({ headers }) => headers.get("x-request-id") ?? "");
      for (const id of ids) expect(id).toMatch(UUID);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it.each(["abc-1_2=", "x", "7".repeat(255)])("is the client's own if it is valid: %s", async (id) => {
      for (const path of ["/health", "/nowhere", "/agents/x"])
        expect((await ask(path, { headers: { "x-request-id": id } })).headers.get("x-request-id")).toBe(id);
    });

    it.each(["two words", "<script>", "a,b", "é", "7".repeat(256), '{"a":1}'])(
      "replaces the invalid id %s",
      async (id) => {
        expect((await ask("/health", { headers: { "x-request-id": id } })).headers.get("x-request-id")).toMatch(UUID);
      },
    );
  });

  describe("HEAD", () => {
    /** The headers of a response, without those that depend on the time or the connection. */
    const comparable = (headers: Headers, ...without: string[]) => {
      const others = ["date", "x-request-id", "connection", "keep-alive", ...without];
      return Object.fromEntries([...headers].filter(([name]) => !others.includes(name)));
    };

    it.each(readable)("of %s has the headers of GET and no body", async (path) => {
      const read = await ask(path);
      const headed = await ask(path, { method: "HEAD" });
      expect(read.status).toBe(200);
      expect(headed).toMatchObject({ status: 200, body: "" });
      expect(comparable(headed.headers)).toEqual(comparable(read.headers));
      expect(headed.headers.get("content-length")).toBe(String(Buffer.byteLength(read.body)));
    });

    it.each(refused)("of %s has the status of GET and no body", async (path) => {
      const read = await ask(path);
      const headed = await ask(path, { method: "HEAD" });
      expect(read.status).toBeGreaterThanOrEqual(400);
      expect(headed).toMatchObject({ status: read.status, body: "" });
      expect(comparable(headed.headers, "content-length")).toEqual(comparable(read.headers, "content-length"));
    });

    it("sends no body over the connection either, and leaves it usable", async () => {
      const text = await sendRaw(stack.apiUrl, `HEAD /health HTTP/1.1\r\n${host}\r\n\r\n${get("/agents/x")}`);
      const [first = "", second = ""] = text.split(/(?<=\r\n\r\n)(?=HTTP\/1\.1 )/);
      expect(parseAnswer(first)).toMatchObject({ status: 200, body: "" });
      expect(parseAnswer(second)).toMatchObject({ status: 400 });
    });
  });

  describe("a known path", () => {
    const others = ["POST", "PUT", "DELETE", "PATCH"].flatMap((method) =>
      [...known].filter(([, methods]) => !methods.has(method)).map(([path, methods]) => ({ method, path, methods })),
    );

    it.each(others)("$path responds to $method with 405 and the allowed methods", async ({ method, path, methods }) => {
      const body = method === "DELETE" ? {} : { body: "{}", headers: { "content-type": "application/json" } };
      const answer = await ask(path, { method, ...body });
      const allowed = [...methods, ...(methods.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe(allowed);
      expect(JSON.parse(answer.body)).toEqual(error(`Method ${method} is not allowed; use ${allowed}`));
    });

    it("returns 405 also with invalid parameters", async () => {
      expect(await ask("/agents/x?limit=%zz", { method: "DELETE" })).toMatchObject({ status: 405 });
    });
  });

  describe("an unknown path", () => {
    const methods = ["GET", "POST", "PUT", "DELETE", "PATCH"];
    it.each(methods)("is a 404 for %s", async (method) => {
      for (const path of ["/", "/nowhere", "/agents/1/2", "/Agents/1", "/health/", "/docs/other.js", "/%61gent"]) {
        const { status, body, headers } = await ask(path, { method });
        expect(status).toBe(404);
        expect(JSON.parse(body)).toEqual(
          error(`No route ${method} ${path === "/%61gent" ? "/agent" : path}; see /docs`),
        );
        expect(headers.get("content-type")).toBe("application/json");
      }
    });

    it("is truncated in the message", async () => {
      const { status, body } = await ask(`/${"x".repeat(200_000)}`);
      expect(status).toBe(404);
      expect(JSON.parse(body)).toEqual(error(`No route GET /${"x".repeat(199)}…; see /docs`));
    });
  });

  it("forbids browsers to guess a content type, in every response", async () => {
    const published = await fetch(`${stack.apiUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: '"<script>alert(1)</script>"' }),
    });
    const { uri } = (await published.json()) as { uri: string };
    const { pathname: document } = new URL(uri);
    // The second request of a path is served from the cache.
    for (const path of [
      document,
      document,
      "/agents/1",
      "/agents/1",
      "/nowhere",
      "/docs",
      "/trpc/agents.get",
      "/mcp",
    ]) {
      const { headers } = await ask(path);
      expect(headers.get("x-content-type-options"), path).toBe("nosniff");
    }
    const malformed = parseAnswer(await sendRaw(stack.apiUrl, "nonsense\r\n\r\n"));
    expect(malformed.headers["x-content-type-options"]).toBe("nosniff");
  });

  it("is served on loopback only, because the chain is local", async () => {
    const { port } = new URL(stack.apiUrl);
    const addresses = Object.values(networkInterfaces())
      .flatMap((ofInterface) => ofInterface ?? [])
      .filter(({ internal, scopeid }) => !internal && !scopeid)
      .map(({ address, family }) => (family === "IPv6" ? `[${address}]` : address));
    for (const address of addresses)
      await expect(sendRaw(`http://${address}:${port}`, "GET /health HTTP/1.1\r\n\r\n"), address).rejects.toThrow();
  });

  describe("CORS", () => {
    it("allows any origin, without credentials, and exposes the documented headers", async () => {
      for (const path of ["/health", "/nowhere", "/agents/x"]) {
        const { headers } = await ask(path, { headers: { origin: "https://app.example" } });
        const exposed = (headers.get("access-control-expose-headers") ?? "").split(",");
        expect(exposed.sort()).toEqual([
          "allow",
          "etag",
          "payment-required",
          "payment-response",
          "ratelimit",
          "retry-after",
          "www-authenticate",
          "x-index-block",
          "x-index-status",
          "x-payment-response",
          "x-request-id",
        ]);
      }
    });

    it.each(["/health", "/intents/1", "/nowhere"])("responds to the preflight of %s", async (path) => {
      const { status, headers, body } = await ask(path, {
        method: "OPTIONS",
        headers: {
          origin: "https://app.example",
          "access-control-request-method": "GET",
          "access-control-request-headers": "if-none-match, x-request-id",
        },
      });
      expect({ status, body }).toEqual({ status: 204, body: "" });
      expect(headers.get("access-control-allow-methods")?.split(",")).toEqual([
        "GET",
        "HEAD",
        "POST",
        "PUT",
        "OPTIONS",
      ]);
      expect(headers.get("access-control-allow-headers")?.split(",")).toEqual(["if-none-match", "x-request-id"]);
      expect(headers.get("access-control-max-age")).toBe("86400");
    });
  });

  describe("the entity tag", () => {
    it.each(readable)(
      "of %s is stable for the same response, and a matching If-None-Match returns 304",
      async (path) => {
        const first = await ask(path);
        const etag = first.headers.get("etag") ?? "";
        expect(etag).toMatch(/^"[\w-]+"$/);
        expect((await ask(path)).headers.get("etag")).toBe(etag);
        for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, `"other",W/${etag}`, "*"])
          for (const method of ["GET", "HEAD"]) {
            const again = await ask(path, { method, headers: { "if-none-match": tag } });
            expect({ tag, method, status: again.status, body: again.body }).toEqual({
              tag,
              method,
              status: 304,
              body: "",
            });
            expect(again.headers.get("etag")).toBe(etag);
            expect(again.headers.get("content-type")).toBeNull();
          }
        for (const tag of ['"stale"', `W/"stale", "older"`, etag.slice(1, -1), ""]) {
          const again = await ask(path, { headers: { "if-none-match": tag } });
          expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body });
        }
      },
    );

    it("does not hide an error", async () => {
      for (const [path, status] of [
        ["/agents/x", 400],
        ["/agents/999999", 404],
        ["/nowhere", 404],
      ] as const) {
        const { status: actual, headers } = await ask(path, { headers: { "if-none-match": "*" } });
        expect(actual).toBe(status);
        expect(headers.get("etag")).toBeNull();
      }
      expect(await ask("/health", { method: "POST", headers: { "if-none-match": "*" } })).toMatchObject({
        status: 405,
      });
    });
  });

  describe("an odd request over a plain connection", () => {
    /** Sends one request and parses the response, which must have a request id and a content type. */
    const raw = async (bytes: string | Buffer) => {
      const answer = parseAnswer(await sendRaw(stack.apiUrl, bytes));
      expect(answer.headers["x-request-id"]).toMatch(/^[\w=-]{1,255}$/);
      expect(answer.headers["content-type"]).toMatch(/^application\/json/);
      expect(answer.headers["access-control-allow-origin"]).toBe("*");
      return { status: answer.status, body: JSON.parse(answer.body) as unknown };
    };

    const notHttp = "The request is not valid HTTP";
    const unreadable = "The request's URL or Host header is not valid";
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
      ["a path that starts with two slashes", get("//agents"), 404, "No route GET //agents; see /docs"],
      ["a path of slashes", get("///"), 404, "No route GET ///; see /docs"],
      ["an id that is a slash", get("/agents/%2f"), 400, /^agentId: must be/],
      ["an id that is NUL", get("/agents/%00"), 400, /^agentId: must be/],
      ["an id that does not decode", get("/agents/%ff"), 400, /^agentId: must be/],
      ["an id of 200,000 digits", get(`/agents/${"9".repeat(200_000)}`), 400, /^agentId: must be/],
      ["an owner of 200,000 digits", get(`/agents?owner=${"9".repeat(200_000)}`), 400, /^owner: must be/],
      [
        "a parameter 20,000 times",
        get(`/solvers?${"limit=1&".repeat(20_000)}`),
        400,
        /^limit: is given more than once$/,
      ],
      ["a WebDAV method", head("PROPFIND /health HTTP/1.1", host), 405, /^Method PROPFIND is not allowed/],
      ["TRACE", head("TRACE /health HTTP/1.1", host), 405, /^Method TRACE is not allowed/],
    ] as const)("that is or has %s is rejected", async (_, bytes, status, message) => {
      const sentence = typeof message === "string" ? message : expect.stringMatching(message);
      expect(await raw(bytes)).toEqual({ status, body: error(sentence) });
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
      [
        "15,000 unknown parameters",
        get(`/health?${Array.from({ length: 15_000 }, (_, place) => `a${place}=${place}`).join("&")}`),
      ],
      ["1,000 headers", get("/health", host, ...Array.from({ length: 1_000 }, (_, place) => `X-${place}: 1`))],
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

    it("that is incomplete does not affect others", async () => {
      const { hostname, port } = new URL(stack.apiUrl);
      const hangUp = (bytes: string) =>
        new Promise<void>((resolve) => {
          const socket = connect(Number(port), hostname, () => socket.write(bytes, () => socket.resetAndDestroy()));
          socket.on("error", () => {});
          socket.on("close", () => resolve());
        });
      const halves = [
        "GET /hea",
        get("/intents"),
        `POST /preflight HTTP/1.1\r\n${host}\r\nContent-Length: 999\r\n\r\n{`,
      ];
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
  });

  describe("Ponder's port", () => {
    const both = (path: string, init?: RequestInit) =>
      Promise.all([stack.apiUrl, stack.ponderUrl].map((url) => fetch(url + path, init)));

    it.each(["/intents", "/intents?limit=2&total=true", "/agents/1", "/agents/x", "/nowhere", "/docs"])(
      "serves %s like the gateway",
      async (path) => {
        const [direct, forwarded] = await both(path);
        expect(forwarded?.status).toBe(direct?.status);
        for (const name of ["content-type", "etag"])
          expect(forwarded?.headers.get(name)).toBe(direct?.headers.get(name));
        expect(await forwarded?.text()).toBe(await direct?.text());
      },
    );

    it("serves methods and bodies like the gateway", async () => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify({ account: owner, target: owner, value: "0", data: "0x" });
      const [direct, forwarded] = await both("/preflight", { method: "POST", headers, body });
      expect(direct?.status).toBe(200);
      expect(await forwarded?.json()).toEqual(await direct?.json());
      for (const response of await both("/intents", { method: "PUT" })) expect(response.status).toBe(405);
      for (const response of await both("/intents", { method: "HEAD" })) expect(response.status).toBe(200);
    });

    it("forwards the event stream without buffering", async () => {
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
  });

  describe("the log", () => {
    type Line = { msg?: string; request_id?: string; method?: string; path?: string; status?: number; ms?: number };
    const linesOf = (id: string): Line[] =>
      stack
        .log()
        .split("\n")
        .filter((line) => line.includes(id))
        .map((line): Line => JSON.parse(line));

    it.each([
      ["GET", "/health", 200],
      ["HEAD", "/health", 200],
      ["OPTIONS", "/health", 204],
      ["GET", "/intents?limit=2", 200],
      ["GET", "/agents/x?secret=1", 400],
      ["GET", "/agents/999999", 404],
      ["GET", "/nowhere", 404],
      ["POST", "/health", 405],
    ])("has one line about %s %s", async (method, path, status) => {
      const id = `log-${method}-${path.replace(/\W/g, "")}`;
      await ask(path, { method, headers: { "x-request-id": id } });
      await expect.poll(() => linesOf(id)).toHaveLength(1);
      expect(linesOf(id)).toMatchObject([
        { msg: "request", request_id: id, method, path: path.replace(/\?.*/, ""), status, ms: expect.any(Number) },
      ]);
    });

    it("has one line about a 304", async () => {
      const headers = { "if-none-match": "*", "x-request-id": "log-304" };
      await ask("/health", { headers });
      await expect.poll(() => linesOf("log-304")).toMatchObject([{ msg: "request", status: 304 }]);
    });

    it("has one line about a malformed request", async () => {
      for (const [bytes, status] of [
        ["hello\r\n\r\n", 400],
        [head("GET /health HTTP/1.1"), 400],
        [get(`/${"x".repeat(300_000)}`), 431],
      ] as const) {
        const { headers } = parseAnswer(await sendRaw(stack.apiUrl, bytes));
        const id = headers["x-request-id"] ?? "none";
        await expect.poll(() => linesOf(id)).toMatchObject([{ msg: "request", status }]);
      }
    });

    it("truncates long paths", async () => {
      await ask(`/${"x".repeat(200_000)}`, { headers: { "x-request-id": "log-long" } });
      await expect.poll(() => linesOf("log-long")).toMatchObject([{ msg: "request", status: 404 }]);
      expect(JSON.stringify(linesOf("log-long")).length).toBeLessThan(1_000);
    });

    it("has no unexpected error from these tests", () => {
      expect(stack.log()).not.toContain("failed request");
    });
  });
});
