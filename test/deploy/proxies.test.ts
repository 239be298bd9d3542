import { mkdtempSync, rmSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { findProgram, run } from "../support/programs";
import { deployPath } from "./files";
import { type FakeGateway, startGateway } from "./gateways";
import {
  caddyEnvironment,
  nginxArguments,
  prepareNginx,
  type RunningProxy,
  startCaddy,
  startNginx,
} from "./proxy-programs";

const MAX_BODY = 256 * 1024;

type Options = { method?: string; headers?: Record<string, string>; body?: Buffer };

/** Sends a request on a connection of its own. The certificate of the test is not trusted. */
const open = (url: string, path: string, { method = "GET", headers = {}, body }: Options = {}) =>
  new Promise<IncomingMessage>((resolve, reject) => {
    const send = url.startsWith("https") ? httpsRequest : httpRequest;
    const sent = send(url, { path, method, headers, agent: false, rejectUnauthorized: false }, resolve);
    sent.on("error", reject);
    sent.end(body);
  });

const Echo = z.object({
  port: z.number(),
  url: z.string(),
  bytes: z.number(),
  headers: z.record(z.string(), z.string()),
});

async function call(url: string, path: string, options?: Options) {
  const response = await open(url, path, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode, headers: response.headers, text, echo: () => Echo.parse(JSON.parse(text)) };
}

const nginx = findProgram("nginx");
const openssl = findProgram("openssl");
const caddy = findProgram("caddy");

const PROXIES = [
  {
    name: "nginx",
    isInstalled: nginx !== undefined && openssl !== undefined,
    protocol: "https",
    start: (gateways: number[]) => startNginx(nginx ?? "", openssl ?? "", gateways),
  },
  {
    name: "Caddy",
    isInstalled: caddy !== undefined,
    protocol: "http",
    start: (gateways: number[]) => startCaddy(caddy ?? "", gateways),
  },
];

for (const { name, isInstalled, protocol, start } of PROXIES)
  describe.skipIf(!isInstalled)(`${name} with the configuration in deploy/`, () => {
    let gateways: FakeGateway[] = [];
    let proxy: RunningProxy;

    beforeAll(async () => {
      gateways = [await startGateway(), await startGateway()];
      proxy = await start(gateways.map(({ port }) => port));
      await vi.waitFor(() => call(proxy.url, "/started"), { timeout: 15_000, interval: 50 });
    }, 30_000);
    afterAll(async () => {
      await proxy?.stop();
      await Promise.all(gateways.map((gateway) => gateway.stop()));
    });
    beforeEach(() => {
      for (const gateway of gateways) gateway.requests.length = 0;
    });

    it.each(["/events", "/events?from_block=0", "/trpc/events.subscribe?input=%7B%7D"])(
      "passes an event on within a second: %s",
      async (path) => {
        const stream = await open(proxy.url, path, { headers: { "accept-encoding": "gzip, br" } });
        expect(stream.statusCode).toBe(200);
        expect(stream.headers["content-encoding"]).toBeUndefined();
        for (const data of ["first", "second"]) {
          const sentAt = Date.now();
          const received = new Promise<string>((resolve) =>
            stream.once("data", (part: Buffer) => resolve(String(part))),
          );
          for (const gateway of gateways) gateway.emit(data);
          expect(await received).toBe(`data: ${data}\n\n`);
          expect(Date.now() - sentAt).toBeLessThan(1_000);
        }
        stream.destroy();
      },
    );

    it("replaces forwarding headers of clients", async () => {
      const { echo } = await call(proxy.url, "/intents", {
        headers: {
          "x-forwarded-for": "6.6.6.6",
          "x-forwarded-proto": "gopher",
          "x-forwarded-host": "evil.example.com",
          forwarded: "for=6.6.6.6",
        },
      });
      const { headers } = echo();
      expect(headers["x-forwarded-for"]).toBe("127.0.0.1");
      expect(headers["x-forwarded-proto"]).toBe(protocol);
      expect(headers["x-forwarded-host"]).not.toContain("evil");
      expect(headers.forwarded).toBeUndefined();
    });

    it.each([
      ...["/metrics", "/metrics?a=1", "/metrics/", "/metrics//", "/metrics/.", "/metrics%2f"],
      ...["//metrics", "/./metrics", "/x/../metrics", "/%6detrics"],
    ])("hides %s", async (path) => {
      expect((await call(proxy.url, path)).status).toBe(404);
      expect(gateways.flatMap(({ requests }) => requests)).toEqual([]);
    });

    it("accepts a body of the gateway's limit, and rejects a larger one with 413", async () => {
      const post = (bytes: number) => call(proxy.url, "/documents", { method: "POST", body: Buffer.alloc(bytes) });
      expect((await post(MAX_BODY)).echo().bytes).toBe(MAX_BODY);
      expect((await post(MAX_BODY + 1)).status).toBe(413);
    });

    it("accepts a long URL, such as that of a tRPC batch", async () => {
      const path = `/trpc/intents.get?input=${"a".repeat(20_000)}`;
      expect((await call(proxy.url, path)).echo().url).toBe(path);
    });

    it("compresses nothing itself", async () => {
      const { headers } = await call(proxy.url, "/intents", { headers: { "accept-encoding": "gzip, br" } });
      expect(headers["content-encoding"]).toBeUndefined();
    });

    it("uses both gateways, also while one has more event streams", async () => {
      const streams = await Promise.all(Array.from({ length: 3 }, () => open(proxy.url, "/events")));
      const ports = new Set<number>();
      for (let sent = 0; sent < 10; sent++) ports.add((await call(proxy.url, "/intents")).echo().port);
      for (const stream of streams) stream.destroy();
      expect(ports.size).toBe(2);
    });

    it("repeats a failed GET on the other gateway, but no POST", async () => {
      const [one, two] = gateways;
      if (!one || !two) throw new Error("There are two gateways");
      one.broken = true;
      for (let sent = 0; sent < 6; sent++) expect((await call(proxy.url, "/intents")).echo().port).toBe(two.port);
      expect(one.requests).toContain("GET /intents");
      two.broken = true;
      const post = await call(proxy.url, "/documents", { method: "POST", body: Buffer.from("{}") });
      expect(post.status).toBeGreaterThanOrEqual(502);
      expect([...one.requests, ...two.requests].filter((request) => request.startsWith("POST"))).toHaveLength(1);
      two.broken = false;
      one.broken = false;
    });
  });

describe.skipIf(!caddy)("Caddy", () => {
  it("accepts the Caddyfile, which is formatted", () => {
    const folder = mkdtempSync(join(tmpdir(), "intentry-caddy-"));
    const env = caddyEnvironment(folder, "https://api.example.com", [3001, 3002]);
    const { status, output } = run(caddy ?? "", ["adapt", "--validate", "--config", deployPath("Caddyfile")], { env });
    expect(status, output).toBe(0);
    expect(output).not.toContain("not formatted");
    rmSync(folder, { recursive: true, force: true });
  });

  it("sends no requests to an unready gateway, and serves reads if none is ready", async () => {
    const gateways = [await startGateway(), await startGateway()] as const;
    const [one, two] = gateways;
    one.ready = false;
    const proxy = await startCaddy(caddy ?? "", [one.port, two.port]);
    try {
      const portOf = async () => (await call(proxy.url, "/intents").catch(() => undefined))?.echo().port;
      await expect.poll(portOf, { timeout: 15_000 }).toBe(two.port);
      one.requests.length = 0;
      for (let sent = 0; sent < 10; sent++) expect(await portOf()).toBe(two.port);
      expect(one.requests).toEqual([]);
      two.ready = false;
      const usesBoth = async () => new Set(await Promise.all(Array.from({ length: 6 }, portOf))).size;
      await expect.poll(usesBoth, { timeout: 15_000 }).toBe(2);
    } finally {
      await proxy.stop();
      for (const gateway of gateways) await gateway.stop();
    }
  });
});

describe.skipIf(!nginx || !openssl)("nginx -t", () => {
  it("accepts nginx.conf", async () => {
    const prepared = await prepareNginx(openssl ?? "", [3001, 3002]);
    const { status, output } = run(nginx ?? "", ["-t", ...nginxArguments(prepared, undefined)]);
    expect(output).toContain("test is successful");
    expect(status).toBe(0);
    rmSync(prepared.folder, { recursive: true, force: true });
  });
});
