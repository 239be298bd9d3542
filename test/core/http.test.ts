import { networkInterfaces } from "node:os";
import { beforeAll, describe, expect, it } from "vitest";
import { get, host, readable, request } from "../support/gateway-requests";
import { documentedRoutes } from "../support/openapi-routes";
import { parseAnswer, sendRaw } from "../support/raw-http";
import { type SampleStack, sampleStack } from "../support/shared-stack";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const refused = [
  "/attestations",
  "/agents/x",
  "/agents/999999",
  "/nowhere",
  "/agents/1//",
  `/tx/0x${"de".repeat(32)}/explain`,
];

/** Every path with its methods. */
const known = new Map<string, Set<string>>(
  ["/", "/explore/intents", "/openapi.json", "/docs"].map((path) => [path, new Set(["GET"])]),
);
for (const { method, path } of documentedRoutes) {
  const filled = path.replace(/\{\w+\}/g, "1");
  known.set(filled, (known.get(filled) ?? new Set()).add(method));
}

describe("the gateway's HTTP", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  const ask = (path: string, init?: RequestInit) => request(stack.apiUrl, path, init);
  const error = (code: string, message: unknown = expect.any(String)) => ({ error: message, code });

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
      // The length of a compressed body would differ from that of the text.
      const headers = { "accept-encoding": "identity" };
      const read = await ask(path, { headers });
      const headed = await ask(path, { method: "HEAD", headers });
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
      expect(JSON.parse(answer.body)).toEqual(
        error("method_not_allowed", `Method ${method} is not allowed; use ${allowed}`),
      );
    });

    it("returns 405 also with invalid parameters", async () => {
      expect(await ask("/agents/x?limit=%zz", { method: "DELETE" })).toMatchObject({ status: 405 });
    });
  });

  describe("an unknown path", () => {
    const methods = ["GET", "POST", "PUT", "DELETE", "PATCH"];
    it.each(methods)("is a 404 for %s", async (method) => {
      for (const path of ["/nowhere", "/agents/1/2", "/Agents/1", "/health/x", "/docs/other.js", "/%61gent"]) {
        const { status, body, headers } = await ask(path, { method });
        expect(status).toBe(404);
        expect(JSON.parse(body)).toEqual(
          error("unknown_route", `No route ${method} ${path === "/%61gent" ? "/agent" : path}; see /docs`),
        );
        expect(headers.get("content-type")).toBe("application/json; charset=UTF-8");
      }
    });

    it("is truncated in the message", async () => {
      const { status, body } = await ask(`/${"x".repeat(200_000)}`);
      expect(status).toBe(404);
      expect(JSON.parse(body)).toEqual(error("unknown_route", `No route GET /${"x".repeat(199)}…; see /docs`));
    });
  });

  it("forbids browsers to guess a content type, in every response", async () => {
    const published = await fetch(`${stack.apiUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: '["<script>alert(1)</script>"]' }),
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

  it("logs no unexpected error", () => {
    expect(stack.log()).not.toContain("failed request");
  });
});
