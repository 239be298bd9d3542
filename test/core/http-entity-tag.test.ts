import { beforeAll, describe, expect, it } from "vitest";
import { readable, request } from "../support/gateway-requests";
import { type SampleStack, sampleStack } from "../support/shared-stack";

describe("the entity tag", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  const ask = (path: string, init?: RequestInit) => request(stack.apiUrl, path, init);

  it.each(readable)("of %s is stable for the same response, and a matching If-None-Match returns 304", async (path) => {
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
  });

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

  it("logs no unexpected error", () => {
    expect(stack.log()).not.toContain("failed request");
  });
});
