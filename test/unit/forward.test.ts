import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, it } from "vitest";
import { forwardTo } from "../../src/api/forward";
import { parseAnswer, sendRaw } from "../support/raw-http";

const unexpected = (error: unknown) => {
  throw error;
};

/** Containers often have no IPv6. */
const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);

type Forward = ReturnType<typeof forwardTo>;

/** Runs `use` with the URL of a server that forwards. */
async function serving(forward: Forward, use: (url: string) => Promise<void>): Promise<void> {
  const server = serve({ fetch: new Hono().all("*", forward as never).fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
}

/** Runs `use` with the URL of a server that forwards to another one with this listener. */
async function forwarding(
  listener: RequestListener,
  use: (url: string) => Promise<void>,
  host = "127.0.0.1",
): Promise<void> {
  const server = createServer(listener).listen(0, host);
  await once(server, "listening");
  try {
    const { port, family } = server.address() as AddressInfo;
    await serving(forwardTo(`http://${family === "IPv6" ? `[${host}]` : host}:${port}`, unexpected), use);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe("a forwarded request", () => {
  it("arrives with its method, path, query, headers and body", async () => {
    await forwarding(
      (request, response) => {
        let body = "";
        request.on("data", (chunk) => (body += chunk));
        request.on("end", () => {
          const { method, url, headers } = request;
          response.writeHead(201, { "x-own": "1" }).end(JSON.stringify([method, url, headers["x-sent"], body]));
        });
      },
      async (url) => {
        const init = { method: "PUT", headers: { "x-sent": "yes" }, body: "text" };
        const response = await fetch(`${url}/a%2Fb?c=d&c=%20`, init);
        expect([response.status, response.headers.get("x-own")]).toEqual([201, "1"]);
        expect(await response.json()).toEqual(["PUT", "/a%2Fb?c=d&c=%20", "yes", "text"]);
      },
    );
  });

  it.skipIf(!hasIpv6)("arrives at an IPv6 address", async () => {
    await forwarding(
      (_, response) => response.end("here"),
      async (url) => expect(await (await fetch(url)).text()).toBe("here"),
      "::1",
    );
  });

  it("passes on a redirect instead of following it", async () => {
    await forwarding(
      (_, response) => response.writeHead(302, { location: "/docs" }).end(),
      async (url) => {
        const response = await fetch(url, { redirect: "manual" });
        expect([response.status, response.headers.get("location")]).toEqual([302, "/docs"]);
      },
    );
  });

  it("passes on each chunk of a stream immediately, and closes the stream when the client disconnects", async () => {
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    await forwarding(
      (_, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
        response.once("close", () => leave());
      },
      async (url) => {
        const client = new AbortController();
        const { body } = await fetch(`${url}/events`, { signal: client.signal });
        const first = await body?.getReader().read();
        expect(new TextDecoder().decode(first?.value)).toBe("data: 1\n\n");
        client.abort();
        await left;
      },
    );
  });

  it("returns 503, names the address and reports the error when the gateway is down", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await new Promise((resolve) => server.close(resolve));
    const failures: unknown[] = [];
    const forward = forwardTo(url, (error, path) => failures.push([(error as Error).message, path]));
    await serving(forward, async (own) => {
      const response = await fetch(`${own}/intents?limit=1`);
      expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
      expect(await response.json()).toEqual({
        error: `The gateway does not answer at ${url} (API_HOST, API_PORT); try again shortly`,
        code: "unavailable",
      });
    });
    expect(failures).toEqual([[expect.stringContaining("ECONNREFUSED"), "/intents"]]);
  });

  describe("with a body that is not framed exactly", () => {
    const SMUGGLED = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
    const CHUNKED = `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n`;
    const raw = (method: string, headers: string[], body: string) =>
      [`${method} /attack HTTP/1.1`, "Host: x", ...headers, "Connection: close", "", body].join("\r\n");

    /** Sends the attack between requests of another client on the same connection to the gateway. */
    async function attack(request: string) {
      const received: string[] = [];
      let answer = { status: 0, headers: {}, body: "" };
      const answers: string[] = [];
      await forwarding(
        ({ method, url, headers }, response) => {
          received.push(`${method} ${url}`);
          response.end(`${url} ${headers.authorization}`);
        },
        async (url) => {
          for (let round = 0; round < 5; round++) {
            const headers = { authorization: "Bearer victim" };
            answers.push(await (await fetch(`${url}/victim`, { headers })).text());
            answer = parseAnswer(await sendRaw(url, request));
          }
          answers.push(await (await fetch(`${url}/victim`)).text());
        },
      );
      return { received, answer, answers };
    }

    it.each(["GET", "HEAD", "DELETE", "OPTIONS", "TRACE"])("rejects a chunked %s", async (method) => {
      const { received, answer, answers } = await attack(raw(method, ["Transfer-Encoding: chunked"], CHUNKED));
      expect(received).toEqual(Array(6).fill("GET /victim"));
      expect(answers).toEqual([...Array(5).fill("/victim Bearer victim"), "/victim undefined"]);
      expect([answer.status, answer.headers]).toEqual([400, expect.objectContaining({ connection: "close" })]);
      if (method !== "HEAD")
        expect(JSON.parse(answer.body)).toEqual({
          error: `${method} requests have no body; send it with POST, PUT or PATCH`,
          code: "malformed_request",
        });
    });

    it.each(["GET", "HEAD", "DELETE", "OPTIONS"])("rejects a %s with a content length", async (method) => {
      const { received, answer } = await attack(raw(method, [`Content-Length: ${SMUGGLED.length}`], SMUGGLED));
      expect(received).toEqual(Array(6).fill("GET /victim"));
      expect(answer.status).toBe(400);
    });

    it.each(["GET", "POST"])("rejects a %s with two lengths", async (method) => {
      const lengths = ["Content-Length: 4", "Transfer-Encoding: chunked"];
      for (const headers of [lengths, lengths.toReversed(), ["Content-Length: 4", "Content-Length: 5"]]) {
        const { received, answer } = await attack(raw(method, headers, CHUNKED));
        expect(received).toEqual(Array(6).fill("GET /victim"));
        expect(answer.status).toBe(400);
      }
    });

    it("rejects a transfer coding other than chunked", async () => {
      const { received, answer } = await attack(raw("POST", ["Transfer-Encoding: gzip, chunked"], CHUNKED));
      expect(received).toEqual(Array(6).fill("GET /victim"));
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        400,
        { error: "The only supported Transfer-Encoding is chunked", code: "malformed_request" },
      ]);
    });

    it.each([
      ["a chunked body", ["Transfer-Encoding: chunked"], CHUNKED],
      ["a length named in Connection", [`Content-Length: ${SMUGGLED.length}`, "Connection: content-length"], SMUGGLED],
    ])("forwards %s as a body", async (_, headers, body) => {
      const { received, answer, answers } = await attack(raw("POST", headers, body));
      expect(received).toEqual([...Array(5).fill(["GET /victim", "POST /attack"]).flat(), "GET /victim"]);
      expect([answer.status, answers.at(-1)]).toEqual([200, "/victim undefined"]);
    });
  });

  it("has no headers of the connection, nor those that Connection names", async () => {
    await forwarding(
      ({ headers }, response) => response.end(JSON.stringify(Object.keys(headers).sort())),
      async (url) => {
        const headers = ["GET / HTTP/1.1", "Host: x", "X-Kept: 1", "X-Dropped: 1", "TE: trailers", "Keep-Alive: 5"];
        const connection = "Connection: close, X-Dropped";
        const answer = parseAnswer(await sendRaw(url, [...headers, connection, "", ""].join("\r\n")));
        // Node adds the header of its own connection.
        expect(answer.body).toContain(JSON.stringify(["connection", "host", "x-kept"]));
      },
    );
  });

  it("ends when the gateway ends in the middle of a response", async () => {
    await forwarding(
      (_, response) => {
        response.writeHead(200, { "content-length": "10" }).write("half ");
        setTimeout(() => response.destroy(), 20);
      },
      async (url) => {
        await expect(fetch(url).then((response) => response.text())).rejects.toThrow();
      },
    );
  });
});
