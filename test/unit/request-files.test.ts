import { once } from "node:events";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import { resolve } from "node:path";
import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createClientLimits } from "../../api/core/client-limits";
import { waitForRecovery } from "../../api/core/recovery";
import { createGateway } from "../../api/gateway";
import { listen } from "../../api/http/listener";
import { ResponseCache } from "../../api/http/response-cache";
import { shareReads } from "../../api/indexed/shared-read";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import { withoutIndex } from "../support/without-index";

const root = resolve(import.meta.dirname, "..", "..");

/** An agent in the order of the columns, as pg returns it. */
const row = ["1", `0x${"1".repeat(40)}`, "ipfs://agent", "0x04", `0x${"2".repeat(64)}`, false, "12"];

const indexHead = {
  historyDone: true,
  isComplete: true,
  block: 12n,
  timestamp: 1n,
  builtBlock: 12n,
  revision: "a",
};
const head = async () => indexHead;

function openGateway() {
  const environment = parseEnvironment({ NODE_ENV: "test" });
  const pool = { query: async () => ({ rows: [row] }) } as unknown as pg.Pool;
  const context = {
    ...withoutIndex,
    head,
    db: drizzle(pool, { casing: "snake_case" }),
    store: () => Promise.reject(new Error("Unexpected access to the store")),
    limits: createClientLimits(environment),
    config: {
      ...environment,
      checkAnswers: false,
      chainId: baseSepolia.chainId,
      contracts: baseSepolia.contracts,
      cursorSecret: async () => "a secret for tests",
      listed: new Map(),
    },
  };
  const cache = new ResponseCache({
    maxBytes: 1_000_000,
    indexHead: waitForRecovery(shareReads(head)),
    storeRevision: shareReads(async () => "1"),
  });
  return createGateway(context, pino({ level: "info" }, { write: () => {} }), cache);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address ? address.port : 0;
}

/** The files of ours whose functions run while `work` does, without tests and packages. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post("Profiler.enable");
    await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
    await work();
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return (
      result
        // Vitest makes exports getters with this name.
        .filter(({ functions }) =>
          functions.some(({ functionName, ranges }) => functionName !== "get" && ranges[0]?.count),
        )
        .map(({ url }) => url.replace(/^file:\/\//, ""))
        .filter((path) => path.startsWith(root) && !path.includes("node_modules") && !path.includes("/test/"))
        .map((path) => path.slice(root.length + 1))
        .sort()
    );
  } finally {
    session.disconnect();
  }
}

/** drain() would wait for idle connections. */
const withoutKeepAlive = { headers: { connection: "close" } };

describe("GET /agents/1", () => {
  let server: ReturnType<typeof listen>;
  let url: string;
  beforeAll(async () => {
    const port = await freePort();
    server = listen(openGateway(), { port, host: "127.0.0.1" }, pino({ level: "silent" }));
    url = `http://127.0.0.1:${port}`;
    await fetch(`${url}/agents/7`, withoutKeepAlive);
    // The compression of the explorer's files is done.
    await fetch(`${url}/explore/unknown`, withoutKeepAlive);
  });
  afterAll(() => server.drain());

  const get = async () => {
    const response = await fetch(`${url}/agents/1`, withoutKeepAlive);
    expect(await response.json()).toMatchObject({ agent_id: "1", block_number: "12" });
  };

  // The goal is 18. The connection to PostgreSQL, which is not part of this test, adds four: the database, the pool, its
  // client and the trace of a query.
  it("passes at most 21 of our files from socket to socket", async () => {
    const files = await filesOf(get);
    expect(files).toContain("api/operations/agents.ts");
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(21);
  });

  it("passes at most 18 of our files if it is in the cache", async () => {
    await get();
    const files = await filesOf(get);
    expect(files).not.toContain("api/operations/agents.ts");
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(18);
  });
});
