import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClientLimits } from "../../api/core/client-limits";
import { failureBody } from "../../api/gateway";
import { limitRequests } from "../../api/http/limit-requests";

type Line = { path: string; status: number };

/** A server that serves `/cached` from a cache and every other path from an app, with a limit of requests. */
async function serve(requestsPerMinute = 3) {
  const lines: Line[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const limits = createClientLimits({ requestsPerMinute, readsAtOnce: undefined }, () => 30_000);
  const config = { trustProxy: true, writeTokens: [] };
  const handle = limitRequests(
    (request, response) => {
      if (request.url !== "/cached") return false;
      response.end("cached");
      return true;
    },
    { limits, config, log, failureBody },
  );
  const server = createServer((request, response) => {
    if (handle(request, response) === false) response.end("computed");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const get = (path: string, client: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { "x-forwarded-for": client, connection: "close" } });
  return { get, lines };
}

describe("the limit on requests", () => {
  const error = "More than 3 requests in a minute; try again in 30 s";

  it("counts requests that the cache serves like others, and returns 429 with Retry-After", async () => {
    const { get, lines } = await serve();
    for (const path of ["/cached", "/agents/1", "/cached"]) expect((await get(path, "192.0.2.1")).status).toBe(200);
    for (const path of ["/cached", "/agents/1?x=1"]) {
      const refused = await get(path, "192.0.2.1");
      expect([refused.status, await refused.json()]).toEqual([429, { error, code: "rate_limited" }]);
      expect(Object.fromEntries(refused.headers)).toMatchObject({
        "retry-after": "30",
        ratelimit: "limit=3, remaining=0, reset=30",
        "access-control-allow-origin": "*",
        "x-request-id": expect.stringMatching(/./),
      });
    }
    expect(lines).toMatchObject([
      { path: "/cached", status: 429 },
      { path: "/agents/1", status: 429 },
    ]);
    expect(await (await get("/cached", "192.0.2.2")).text()).toBe("cached");
  });

  it("responds to tRPC in its own format, and to HEAD without a body", async () => {
    const { get } = await serve();
    for (let number = 0; number < 3; number++) await get("/cached", "192.0.2.3");
    const trpc = await get("/trpc/agents.get", "192.0.2.3");
    expect([trpc.status, await trpc.json()]).toMatchObject([
      429,
      {
        error: {
          message: error,
          data: { code: "TOO_MANY_REQUESTS", errorCode: "rate_limited", httpStatus: 429, retryAfter: 30 },
        },
      },
    ]);
    const head = await get("/cached", "192.0.2.3", { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([429, ""]);
  });

  it.each([
    ["ports of an address", (number: number) => `192.0.2.4:${40_000 + number}`],
    ["ports of an IPv6 address", (number: number) => `[2001:db8:1:2::3]:${40_000 + number}`],
    ["zones of an IPv6 address", (number: number) => `fe80::1%eth${number}`],
    ["addresses of an IPv6 network", (number: number) => `2001:db8:1:3::${number}`],
    ["spellings of an IPv4 address", (number: number) => `${number % 2 ? "::ffff:" : ""}192.0.2.5`],
  ])("counts all %s as one client: 30 of 60 requests pass", async (_, client) => {
    const { get } = await serve(30);
    const statuses = [];
    for (let number = 0; number < 60; number++)
      statuses.push((await get("/cached", `203.0.113.1, ${client(number)}`)).status);
    expect(statuses).toEqual([...Array(30).fill(200), ...Array(30).fill(429)]);
    expect((await get("/cached", "192.0.2.6:1")).status).toBe(200);
  });
});
