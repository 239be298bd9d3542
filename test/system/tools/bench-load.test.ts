import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type LoadGenerator, requestBytes, startLoadGenerator } from "../../../bench/reads/load";

let load: LoadGenerator;
/** Counts requests. Every third one fails, so that one of the four connections always gets a failure. */
let requests = 0;
const failing = createServer((_, response) => {
  response.writeHead(++requests % 3 === 0 ? 503 : 200, { "content-length": "2" }).end("ok");
});
// Only the client closes its connections.
failing.keepAliveTimeout = 0;
const working = createServer((_, response) => void response.writeHead(200, { "content-length": "2" }).end("ok"));

beforeAll(async () => {
  for (const server of [failing, working]) await once(server.listen(0, "127.0.0.1"), "listening");
  load = await startLoadGenerator();
});
afterAll(() => {
  load.stop();
  for (const server of [failing, working]) server.close().closeAllConnections();
});

it("a measurement with a failed response is rejected, ends its connections, and the next one succeeds", async () => {
  const measure = (server: typeof working) => {
    const { port } = server.address() as AddressInfo;
    const bytes = requestBytes({ method: "GET", path: "/agents" });
    return load.measure({ port, connections: 4, ...bytes, warmUpMs: 10, windowMs: 100 });
  };
  await expect(measure(failing)).rejects.toThrow(/^GET \/agents .* A response has status 503$/);
  await expect
    .poll(() => new Promise<number>((resolve) => failing.getConnections((_, count) => resolve(count))))
    .toBe(0);
  const received = requests;
  expect(await measure(working)).toBeGreaterThan(0);
  expect(requests).toBe(received);
});
