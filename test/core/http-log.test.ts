import { beforeAll, describe, expect, it } from "vitest";
import { get, head, request } from "../support/gateway-requests";
import { parseAnswer, sendRaw } from "../support/raw-http";
import { type SampleStack, sampleStack } from "../support/shared-stack";

describe("the log of requests", () => {
  let stack: SampleStack;

  beforeAll(async () => {
    stack = await sampleStack();
  });

  const ask = (path: string, init?: RequestInit) => request(stack.apiUrl, path, init);

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
