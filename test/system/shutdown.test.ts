import { Agent, get } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { type Stack, startStack } from "../support/stack";

const READERS = 16;

type Outcome = { statuses: number[]; error: string };

describe("SIGTERM", () => {
  let stack: Stack;

  beforeAll(async () => {
    stack = await startStack({ index: false });
    await stack.write(actor(1), "AgentRegistry", "registerAgent", ["ipfs://one", "0x01", hashOf("one")]);
  });
  beforeEach(() => stack.startIndexer());
  afterAll(() => stack?.stop());

  const getOnce = (path: string, agent: Agent) =>
    new Promise<number>((answered, failed) => {
      get(`${stack.apiUrl}${path}`, { agent }, (response) => {
        response.on("error", failed);
        response.resume().on("end", () => answered(response.statusCode ?? 0));
      }).on("error", failed);
    });

  /** Sends requests continuously over one kept-alive connection, until one fails. */
  async function readUntilGone(path: string): Promise<Outcome> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const statuses: number[] = [];
    try {
      for (;;) statuses.push(await getOnce(path, agent));
    } catch (error) {
      return { statuses, error: (error as NodeJS.ErrnoException).code ?? String(error) };
    } finally {
      agent.destroy();
    }
  }

  it("completes every request of busy connections, then rejects new ones", async () => {
    const paths = ["/agents/1", "/intents", "/health", "/analytics/commerce"];
    const readers = Array.from({ length: READERS }, (_, reader) => readUntilGone(paths[reader % 4] ?? ""));
    const readiness: number[] = [];
    const watching = (async () => {
      for (;;) {
        const response = await fetch(`${stack.apiUrl}/ready`).catch(() => undefined);
        if (!response) return;
        readiness.push(response.status);
        await response.arrayBuffer().catch(() => undefined);
      }
    })();
    await expect.poll(() => readiness.length).toBeGreaterThan(5);
    expect(await stack.stopIndexer()).toBe(0);
    for (const { statuses, error } of await Promise.all(readers)) {
      expect(error).toBe("ECONNREFUSED");
      expect(statuses.length).toBeGreaterThan(0);
      expect([...new Set(statuses)]).toEqual([200]);
    }
    await watching;
    expect(readiness[0]).toBe(200);
    expect(readiness).toContain(503);
  });

  it("finishes a request whose body is still being sent", async () => {
    const { hostname, port } = new URL(stack.apiUrl);
    const body = JSON.stringify({ catalog_json: '["sent slowly"]' });
    const socket = connect(Number(port), hostname);
    let answer = "";
    socket.setEncoding("utf8").on("data", (text) => {
      answer += text;
    });
    const ended = new Promise<void>((done) => socket.once("close", () => done()));
    const headers = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.write(`POST /catalogs HTTP/1.1\r\n${headers}\r\n\r\n${body.slice(0, 10)}`);
    await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0);
    // The gateway has received the request's headers once it has responded to a later request.
    expect((await fetch(`${stack.apiUrl}/health`)).status).toBe(200);
    const stopped = stack.stopIndexer();
    const isRefusing = () =>
      fetch(`${stack.apiUrl}/health`).then(
        () => false,
        () => true,
      );
    await expect.poll(isRefusing).toBe(true);
    socket.write(body.slice(10));
    await ended;
    expect(answer).toMatch(/^HTTP\/1\.1 201 /);
    expect(answer.toLowerCase()).toContain("connection: close");
    expect(await stopped).toBe(0);
  });

  it("ends event streams with a dropped message", async () => {
    const response = await fetch(`${stack.apiUrl}/events`);
    const text = response.text();
    await stack.stopIndexer();
    expect(await text).toMatch(
      /event: dropped\ndata: \{"status":503,"error":"The service is stopping. Reconnect with the last event id","code":"unavailable"\}\n\n$/,
    );
  });
});
