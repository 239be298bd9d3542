import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { encodingFor, StaticContent } from "../../api/http/static-content";
import { identifiedApp } from "./identified-app";

describe("the encoding for an Accept-Encoding header", () => {
  it.each([
    [undefined, undefined],
    ["", undefined],
    ["identity", undefined],
    ["gzip", "gzip"],
    ["gzip, deflate, br", "br"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br; q=0.000, gzip ;q=0", undefined],
    ["zstd, x-br", undefined],
  ])("%s is %s", (header, encoding) => {
    expect(encodingFor(header)).toBe(encoding);
  });
});

describe("static content", () => {
  const text = "a text that is easy to compress. ".repeat(500);
  const content = new StaticContent(text, "text/plain", { "x-own": "1" });
  const app = identifiedApp().get("/", (c) => content.respond(c));
  const ask = async (headers: Record<string, string>) => {
    const response = await app.request("/", { headers });
    return { response, body: Buffer.from(await response.arrayBuffer()) };
  };

  it.each([
    [undefined, (body: Buffer) => body],
    ["br", brotliDecompressSync],
    ["gzip", gunzipSync],
  ])("has the same bytes with encoding %s", async (encoding, decode) => {
    const { response, body } = await ask(encoding ? { "accept-encoding": encoding } : {});
    expect(decode(body).toString()).toBe(text);
    expect(response.headers.get("content-encoding")).toBe(encoding ?? null);
    expect(response.headers.get("content-length")).toBe(String(body.length));
    expect(response.headers.get("vary")).toBe("accept-encoding");
    expect(response.headers.get("x-own")).toBe("1");
    if (encoding) expect(body.length).toBeLessThan(text.length / 20);
  });

  it("has an entity tag for each encoding, and returns 304 for a matching one", async () => {
    const encodings = ["", "br", "gzip"];
    const tags = await Promise.all(
      encodings.map(
        async (encoding) => (await ask({ "accept-encoding": encoding })).response.headers.get("etag") ?? "",
      ),
    );
    expect(new Set(tags).size).toBe(3);
    for (const [index, tag] of tags.entries()) {
      const { response, body } = await ask({ "accept-encoding": encodings[index] ?? "", "if-none-match": tag });
      expect([response.status, body.length, response.headers.get("etag")]).toEqual([304, 0, tag]);
      const other = encodings[(index + 1) % 3] ?? "";
      expect((await ask({ "accept-encoding": other, "if-none-match": tag })).response.status).toBe(200);
    }
  });
});
