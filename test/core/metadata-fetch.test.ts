import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Busy, type FetchOptions } from "../../api/metadata/fetch";
import { PUBLIC, startMetadataServer } from "./metadata-server";

type Server = Awaited<ReturnType<typeof startMetadataServer>>;

const URL_OF_TEST = "https://metadata.test/a.json";

describe("a fetch of metadata", () => {
  let server: Server | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  /** Fetches from a server with this handler. Returns the body, or the reason why there is none. */
  async function fetched(handle: RequestListener, options: FetchOptions = {}, url = URL_OF_TEST): Promise<string> {
    server = await startMetadataServer(handle);
    return server
      .fetchWith(options)(new URL(url), new AbortController().signal)
      .then(
        (bytes) => Buffer.from(bytes).toString(),
        (error: Error) => error.message,
      );
  }

  const redirectTo =
    (location: string): RequestListener =>
    ({ url }, response) => {
      if (url === "/a.json") response.writeHead(302, { location }).end();
      else response.end("{}");
    };

  it("returns the bytes, over TLS with the name of the host, without cookies or credentials", async () => {
    let received: IncomingMessage | undefined;
    const text = await fetched((request, response) => {
      received = request;
      response.setHeader("set-cookie", "a=b").end('{"a":1}');
    });
    expect(text).toBe('{"a":1}');
    expect(received?.headers).toEqual({
      host: "metadata.test",
      accept: "application/json",
      "accept-encoding": "identity",
      "user-agent": "intentry",
      connection: expect.any(String),
    });
    expect(server?.connected).toEqual([{ address: PUBLIC, port: 443, isTls: true, servername: "metadata.test" }]);
  });

  it("does not trust a certificate of another host", async () => {
    const text = await fetched((_, response) => void response.end("{}"), {}, "https://other.test/");
    expect(text).toBe("The server could not be reached");
  });

  it("of a body without end reads no more than the limit, and closes the connection", async () => {
    let sent = 0;
    let isClosed = false;
    const text = await fetched((_, response) => {
      response.on("close", () => {
        isClosed = true;
      });
      const write = () => {
        while (!isClosed && sent < 2 ** 30) {
          sent += 65_536;
          if (!response.write("a".repeat(65_536))) return response.once("drain", write);
        }
        return response;
      };
      write();
    });
    expect(text).toBe("The content has more than 131072 bytes");
    await vi.waitUntil(() => isClosed);
    expect(sent).toBeLessThan(32 * 2 ** 20);
  });

  it("of a declared gigabyte reads nothing", async () => {
    const text = await fetched((_, response) => {
      response.writeHead(200, { "content-length": String(2 ** 30) });
      response.write("{");
    });
    expect(text).toBe("The content has more than 131072 bytes");
  });

  it("does not accept a compressed body, which could be much larger", async () => {
    const text = await fetched((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("0".repeat(10_000_000)));
    });
    expect(text).toBe("The server sent a compressed response, which was not accepted");
  });

  /** Sends bytes one at a time, until the client closes the connection. */
  const drip = (send: () => void, response: ServerResponse) => {
    const timer = setInterval(send, 20);
    response.on("close", () => clearInterval(timer));
  };

  it.each<[string, RequestListener]>([
    ["sends its body byte by byte", (_, response) => drip(() => response.write(" "), response)],
    ["sends its headers byte by byte", ({ socket }, response) => drip(() => socket.write("H"), response)],
    ["never answers", () => {}],
  ])("of a server that %s ends after the time limit", async (_, handle) => {
    const started = performance.now();
    expect(await fetched(handle, { timeMs: 400 })).toMatch(
      /^The server (did not answer within 0.4 s|could not be reached)$/,
    );
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  it("ends after the time limit if the name servers don't answer", async () => {
    const text = await fetched(() => {}, { timeMs: 200, resolve: () => new Promise(() => {}) });
    expect(text).toBe("The server did not answer within 0.2 s");
  });

  it("follows a redirect to another public host, whose address it checks", async () => {
    const resolve = vi.fn(async (host: string) => [host === "b.metadata.test" ? "1.1.1.1" : PUBLIC]);
    expect(await fetched(redirectTo("https://b.metadata.test/b"), { resolve })).toBe("{}");
    expect(server?.connected.map(({ address }) => address)).toEqual([PUBLIC, "1.1.1.1"]);
    expect(resolve.mock.calls.flat()).toEqual(["metadata.test", "b.metadata.test"]);
  });

  it.each([
    ["https://127.0.0.1/", "The host is not on the public internet"],
    ["https://2130706433/", "The host is not on the public internet"],
    ["https://0x7f.1/", "The host is not on the public internet"],
    ["https://[::1]/", "The host is not on the public internet"],
    ["https://[::ffff:10.0.0.1]/", "The host is not on the public internet"],
    ["https://169.254.169.254/latest/meta-data", "The host is not on the public internet"],
    ["https://private.test/", "The host is not on the public internet"],
    ["https://mixed.test/", "The host is not on the public internet"],
    ["https://unknown.test/", "The host name has no address"],
    ["http://metadata.test/", "A redirect is not allowed. The URL must start with https://"],
    ["https://metadata.test:22/", "A redirect is not allowed. The URL must use port 443"],
    ["https://user@metadata.test/", "A redirect is not allowed. The URL must not contain credentials"],
    ["file:///etc/passwd", "A redirect is not allowed. The URL must start with https://"],
    ["https://[", "The server redirects to an invalid URL"],
  ])("does not follow a redirect to %s", async (location, reason) => {
    const names: Record<string, string[]> = {
      "private.test": ["192.168.0.1"],
      "mixed.test": [PUBLIC, "10.0.0.1"],
      "unknown.test": [],
    };
    const resolve = async (host: string) => names[host] ?? [PUBLIC];
    expect(await fetched(redirectTo(location), { resolve })).toBe(reason);
    expect(server?.connected).toHaveLength(1);
  });

  it("does not start at a private address", async () => {
    for (const url of ["https://127.0.0.1/", "https://[fd00::1]/", "https://localhost/"])
      expect(await fetched(() => {}, { resolve: async () => ["127.0.0.1"] }, url), url).toBe(
        "The host is not on the public internet",
      );
    expect(server?.connected).toEqual([]);
  });

  it("reaches a private host only in requests that the operator trusts, and not by a URI or a redirect", async () => {
    const addresses: Record<string, string> = {
      "gateway.metadata.test": "10.0.0.1",
      "other.metadata.test": "10.0.0.2",
    };
    server = await startMetadataServer(({ url, headers }, response) => {
      const location = `https://${headers.host === "metadata.test" ? "gateway" : "other"}.metadata.test/`;
      if (url === "/moved") response.writeHead(302, { location }).end();
      else if (url === "/folder") response.writeHead(302, { location: "/folder/" }).end();
      else response.end("{}");
    });
    const fetchBytes = server.fetchWith({ resolve: async (host) => [addresses[host] ?? PUBLIC] });
    const outcome = (url: string, isTrusted: boolean) =>
      fetchBytes(new URL(url), new AbortController().signal, { isTrusted }).then(
        (bytes) => Buffer.from(bytes).toString(),
        (error: Error) => error.message,
      );
    expect(await outcome("https://gateway.metadata.test/ipfs/a", true)).toBe("{}");
    expect(await outcome("https://gateway.metadata.test/folder", true)).toBe("{}");
    const refused = "The host is not on the public internet";
    expect(await outcome("https://gateway.metadata.test/ipfs/a", false)).toBe(refused);
    expect(await outcome("https://metadata.test/moved", false)).toBe(refused);
    expect(await outcome("https://gateway.metadata.test/moved", true)).toBe(refused);
  });

  it("connects to the address that it checked, also if the name has another one meanwhile", async () => {
    let asked = 0;
    const resolve = async () => (++asked === 1 ? [PUBLIC] : ["127.0.0.1"]);
    expect(await fetched((_, response) => void response.end("{}"), { resolve })).toBe("{}");
    expect(server?.connected.map(({ address }) => address)).toEqual([PUBLIC]);
    expect(asked).toBe(1);
    await server?.close();
    asked = 0;
    // A redirect to the same name asks again.
    expect(await fetched(redirectTo("/b"), { resolve })).toBe("The host is not on the public internet");
  });

  it("follows at most three redirects", async () => {
    let requests = 0;
    const text = await fetched((_, response) => {
      response.writeHead(307, { location: `/${++requests}` }).end();
    });
    expect(text).toBe("The server redirects more than 3 times");
    expect(requests).toBe(4);
  });

  it.each([
    [404, "The server responded with status 404"],
    [500, "The server responded with status 500"],
    [204, "The server responded with status 204"],
  ])("of status %i has no content", async (status, reason) => {
    expect(await fetched((_, response) => void response.writeHead(status).end())).toBe(reason);
  });

  it("of a body that ends early has no content", async () => {
    const text = await fetched((_, response) => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{}", () => response.destroy());
    });
    expect(text).toBe("The server could not be reached");
  });

  it("sends at most two requests to one address at a time, whatever its names are", async () => {
    const open: ServerResponse[] = [];
    server = await startMetadataServer((_, response) => void open.push(response));
    const fetchBytes = server.fetchWith();
    const { signal } = new AbortController();
    const first = ["a", "b"].map((name) => fetchBytes(new URL(`https://${name}.metadata.test/`), signal));
    await vi.waitUntil(() => open.length === 2);
    await expect(fetchBytes(new URL("https://c.metadata.test/"), signal)).rejects.toBeInstanceOf(Busy);
    for (const response of open) response.end("{}");
    await Promise.all(first);
  });

  it("ends when the service stops", async () => {
    const stop = new AbortController();
    server = await startMetadataServer(() => stop.abort(new Error("stopping")));
    await expect(server.fetchWith()(new URL(URL_OF_TEST), stop.signal)).rejects.toThrow("stopping");
  });
});
