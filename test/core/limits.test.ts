import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { toolCall } from "../support/tool-call";
import { callTool, openGatewayOnStore, post } from "./gateway-on-store";

type Gateways = Awaited<ReturnType<typeof openGatewayOnStore>>;

describe("what a client may send", () => {
  let gateways: Gateways;

  beforeAll(async () => {
    gateways = await openGatewayOnStore("limits");
  });
  afterAll(() => gateways?.close());

  describe("attack: a schema that is expensive to validate", () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const objects = (count: number) => Array.from({ length: count }, (_, a) => ({ a }));

    it("is rejected on every transport if it exceeds the bounds", async () => {
      const gateway = gateways.serve();
      const input = { name: "attack", json_schema: { $schema, enum: objects(11_500) } };
      const error = "json_schema: must have at most 1000 items in an enum";
      const rest = await post(gateway, "/attestations/schemas", input);
      expect([rest.status, await rest.json()]).toEqual([400, { error, code: "invalid_input" }]);
      const trpc = await post(gateway, "/trpc/schemas.publish", input);
      expect([trpc.status, await trpc.json()]).toMatchObject([400, { error: { message: error } }]);
      expect(await callTool(gateway, "schemas_publish", input)).toEqual({ text: error, isError: true });
    });

    it("does not stop other requests while it is validated", async () => {
      const gateway = gateways.serve();
      const costly = { $schema, allOf: Array.from({ length: 4 }, () => ({ enum: objects(1_000) })) };
      let isDone = false;
      const publishing = Promise.all(
        ["one", "two", "three"].map((name) =>
          post(gateway, "/attestations/schemas", { name: `costly-${name}`, json_schema: costly }),
        ),
      ).then((responses) => {
        isDone = true;
        return responses;
      });
      let served = 0;
      while (!isDone) {
        expect((await gateway.request("/health")).status).toBe(200);
        served++;
        await new Promise((resolve) => setImmediate(resolve));
      }
      expect((await publishing).map(({ status }) => status)).toEqual([201, 201, 201]);
      expect(served).toBeGreaterThan(20);
    });

    it("counts as a write, also if it is invalid", async () => {
      const gateway = gateways.serve({ writesPerMinute: 2, trustProxy: true });
      const publish = () =>
        post(
          gateway,
          "/attestations/schemas",
          { name: "invalid", json_schema: { pattern: "(" } },
          { "x-forwarded-for": "192.0.2.50" },
        );
      const statuses: number[] = [];
      // A new minute may start in between, which allows two more.
      for (let number = 0; number < 5; number++) statuses.push((await publish()).status);
      expect(statuses[0]).toBe(400);
      expect(statuses).toContain(429);
    });
  });

  it("counts the writes of tools", async () => {
    const gateway = gateways.serve({ writesPerMinute: 2, trustProxy: true });
    const headers = { "x-forwarded-for": "192.0.2.51" };
    const publish = toolCall("documents.publishCatalog", { catalog_json: "[1]" });
    const refused: boolean[] = [];
    // A new minute may start in between, which allows two more.
    for (let number = 0; number < 5; number++)
      refused.push((await callTool(gateway, publish.name, publish.arguments, headers)).isError);
    expect(refused[0]).toBe(false);
    expect(refused).toContain(true);
  });

  describe("the bytes that a client may store per day", () => {
    const intent_hash = `0x${"5f".repeat(32)}`;
    const owner = `0x${"6a".repeat(20)}`;
    const metadata = (bytes: number) => ({ intent_hash, owner, execution_data: `0x${"ab".repeat(bytes)}` });
    const schema = (name: string, bytes: number) => ({ name, json_schema: { description: "x".repeat(bytes) } });

    /** A gateway with a quota of 10,000 bytes, and a function that posts as one client. The index is empty. */
    const withQuota = (client: string) => {
      const db = { select: () => ({ from: () => ({ where: async () => [] }) }) } as never;
      const head = async () => ({
        historyDone: true,
        isComplete: true,
        block: 1n,
        timestamp: 1n,
        builtBlock: 1n,
        revision: "1",
      });
      const gateway = gateways.serve({ storedBytesPerDay: 10_000, trustProxy: true }, { db, head });
      const send = (path: string, body: object) => post(gateway, path, body, { "x-forwarded-for": client });
      return { gateway, send };
    };

    it.each<[string, string, (attempt: number) => object]>([
      ["documents", "/catalogs", (attempt) => ({ catalog_json: JSON.stringify([`${attempt}`.repeat(6_000)]) })],
      ["schemas", "/attestations/schemas", (attempt) => schema(`quota-${attempt}`, 6_000)],
      ["metadata", "/intents/metadata", (attempt) => metadata(3_000 + attempt)],
    ])("are limited for %s, and the same content again is free", async (what, path, body) => {
      const { send } = withQuota(`quota of ${what}`);
      expect((await send(path, body(1))).status).toBe(201);
      const refused = await send(path, body(2));
      expect([refused.status, await refused.json()]).toEqual([
        429,
        {
          error: "More than 10000 bytes stored in a day (UTC); try again tomorrow, or send less",
          code: "rate_limited",
        },
      ]);
      expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
      expect((await send(path, body(1))).status).toBe(201);
    });

    it("are one total for all kinds of data and transports", async () => {
      const { gateway, send } = withQuota("192.0.2.60");
      expect((await send("/catalogs", { catalog_json: JSON.stringify(["y".repeat(3_500)]) })).status).toBe(201);
      expect((await send("/attestations/schemas", schema("one-total", 3_500))).status).toBe(201);
      expect((await send("/intents/metadata", metadata(1_750))).status).toBe(429);
      const trpc = await send("/trpc/intents.reserveMetadata", metadata(1_750));
      expect([trpc.status, trpc.headers.get("retry-after")]).toEqual([429, expect.stringMatching(/^\d+$/)]);
      const reserve = toolCall("intents.reserveMetadata", metadata(1_750));
      const tool = await callTool(gateway, reserve.name, reserve.arguments, {
        "x-forwarded-for": "192.0.2.60",
      });
      expect(tool).toMatchObject({ isError: true, text: expect.stringContaining("More than 10000 bytes") });
    });
  });

  it("limits the bytes of a tRPC and an MCP batch", async () => {
    const gateway = gateways.serve();
    const catalog_json = JSON.stringify(["w".repeat(120_000)]);
    const published = await post(gateway, "/catalogs", { catalog_json });
    const { catalog_hash: hash } = (await published.json()) as { catalog_hash: string };
    const error = "The results of this batch have more than 4194304 bytes; send fewer calls at once";
    const input = Object.fromEntries(Array.from({ length: 50 }, (_, call) => [call, { hash }]));
    const names = Array(50).fill("documents.getCatalog").join(",");
    const trpc = await gateway.request(`/trpc/${names}?batch=1&input=${encodeURIComponent(JSON.stringify(input))}`);
    const results = (await trpc.json()) as { result?: object; error?: { message: string; data: object } }[];
    expect(results.filter(({ result }) => result)).toHaveLength(34);
    expect(results.at(-1)?.error).toMatchObject({ message: error, data: { httpStatus: 413 } });
    const calls = Array.from({ length: 50 }, (_, id) => ({
      ...{ jsonrpc: "2.0", id, method: "tools/call" },
      params: toolCall("documents.getCatalog", { hash }),
    }));
    const mcp = await post(gateway, "/mcp", calls, { accept: "application/json, text/event-stream" });
    const answers = (await mcp.json()) as { result: { isError?: boolean; content: { text: string }[] } }[];
    expect(answers.filter(({ result }) => !result.isError)).toHaveLength(34);
    expect(answers.at(-1)?.result).toEqual({
      isError: true,
      content: [{ type: "text", text: error }],
      _meta: { "intentry/code": "too_large" },
    });
    const alone = await gateway.request(`/catalogs/${hash}`);
    expect(await alone.text()).toBe(catalog_json);
  });

  it("lists a large schema without its body, and returns it by its hash", async () => {
    const gateway = gateways.serve();
    const sizes = { "listed-small": 4_000, "listed-large": 5_000 };
    for (const [name, size] of Object.entries(sizes)) {
      const published = await post(gateway, "/attestations/schemas", {
        name,
        json_schema: { description: "z".repeat(size) },
      });
      expect(published.status).toBe(201);
    }
    const { schemas } = (await (await gateway.request("/attestations/schemas?limit=100")).json()) as {
      schemas: { name: string; schema_hash: string; json_schema: { description: string } | null }[];
    };
    const lengthOf = (name: string) => schemas.find((one) => one.name === name)?.json_schema?.description.length;
    expect(lengthOf("listed-small")).toBe(4_000);
    const large = schemas.find(({ name }) => name === "listed-large");
    expect(large).toMatchObject({ json_schema: null });
    const read = await gateway.request(`/attestations/schemas/${large?.schema_hash}`);
    expect(await read.json()).toEqual({ ...large, json_schema: { description: "z".repeat(5_000) } });
  });

  it("counts writes and bytes by the clock of the database, whatever the clock of a gateway says", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const DAY_MS = 86_400_000;
    const headers = { "x-forwarded-for": "192.0.2.77" };
    const send = async (gateway: ReturnType<Gateways["serve"]>, text: string) => {
      vi.setSystemTime(Date.now() + DAY_MS);
      const { status, headers: answered } = await post(gateway, "/catalogs", { catalog_json: text }, headers);
      return { status, retryAfter: Number(answered.get("retry-after")) };
    };
    const oneWrite = gateways.serve({ writesPerMinute: 1, trustProxy: true });
    const writes = [await send(oneWrite, "[1]"), await send(oneWrite, "[2]"), await send(oneWrite, "[3]")];
    // A new minute may start in between.
    const refused = writes.find(({ status }) => status === 429);
    expect(refused?.retryAfter).toBeGreaterThanOrEqual(1);
    expect(refused?.retryAfter).toBeLessThanOrEqual(60);
    const fewBytes = gateways.serve({ storedBytesPerDay: 100, trustProxy: true });
    const bytes = [4, 5, 6].map((digit) => JSON.stringify([String(digit).repeat(80)]));
    const published = [];
    for (const text of bytes) published.push(await send(fewBytes, text));
    const full = published.find(({ status }) => status === 429);
    expect(full?.retryAfter).toBeGreaterThanOrEqual(1);
    expect(full?.retryAfter).toBeLessThanOrEqual(DAY_MS / 1000);
  });
});
