import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localFacilitator } from "../../api/payments/facilitators/local";
import { actor } from "../../stack/local/chain";
import { demoPayer, hashOf } from "../../stack/local/sample/people";
import { openEvents } from "../support/event-client";
import { type Index, indexOf } from "../support/index-of";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy";
import { type Stack, startStack } from "../support/stack";
import { startFacilitatorServer } from "../support/x402/facilitator-server";
import { askedFor, sign } from "../support/x402/payer";
import { type ReceivedSpan, startTraceCollector } from "./trace-collector";

const SERVER = 2;
const CLIENT = 3;

/** A trace of a client: its id, the client's span, and the header that it sends. */
function newTrace() {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

describe("traces", () => {
  let stack: Stack;
  let index: Index;
  let proxy: RpcProxy;
  let collector: Awaited<ReturnType<typeof startTraceCollector>>;
  let facilitator: Awaited<ReturnType<typeof startFacilitatorServer>>;

  beforeAll(async () => {
    stack = await startStack({ index: false, tokens: true });
    await stack.write(actor(1), "AgentRegistry", "registerAgent", ["one", "0x01", hashOf("one")]);
    proxy = await startRpcProxy(stack.chain.rpcUrl);
    collector = await startTraceCollector();
    facilitator = await startFacilitatorServer(localFacilitator(stack.chain.rpcUrl, "eip155:31337"));
    const variables = {
      DATABASE_URL: stack.databaseUrl,
      API_WORKERS: "2",
      X402_FACILITATOR_URL: facilitator.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=secret",
      OTEL_EXPORTER_OTLP_TIMEOUT: "2000",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
      OTEL_BSP_SCHEDULE_DELAY: "50",
    };
    index = await indexOf({ ...stack.chain, rpcUrl: proxy.url }, stack.contracts, variables, {}, stack.tokens);
    await index.startIndexer();
  });
  afterAll(async () => {
    await index?.removeIndex();
    await facilitator?.stop();
    await collector?.stop();
    await proxy?.close();
    await stack?.stop();
  });

  /** The server's span of a trace, once it was received. */
  const requestSpan = async (traceId: string): Promise<ReceivedSpan> => {
    const find = () => collector.trace(traceId).find(({ kind }) => kind === SERVER);
    await expect.poll(find).toBeDefined();
    return find() as ReceivedSpan;
  };
  const childrenOf = ({ traceId, spanId }: ReceivedSpan) =>
    collector.trace(traceId).filter(({ parentSpanId }) => parentSpanId === spanId);
  const child = async (span: ReceivedSpan, name: string): Promise<ReceivedSpan> => {
    const find = () => childrenOf(span).find((one) => one.name === name);
    await expect.poll(find, { message: `${name} in ${span.name}` }).toBeDefined();
    return find() as ReceivedSpan;
  };

  it("contain a read, its query and whether it was served from the cache", async () => {
    const first = newTrace();
    const headers = { ...first.headers, "x-request-id": "read-1" };
    expect((await fetch(`${index.apiUrl}/agents/1`, { headers })).status).toBe(200);
    const span = await requestSpan(first.traceId);
    expect(span).toMatchObject({ name: "GET /agents/{agentId}", parentSpanId: first.spanId, kind: SERVER });
    expect(span.attributes).toEqual({
      "http.request.method": "GET",
      "http.response.status_code": 200,
      "http.route": "/agents/{agentId}",
      "url.path": "/agents/1",
      "intentry.operation": "agents.get",
      "intentry.request_id": "read-1",
      "intentry.cache_hit": false,
    });
    expect(span.resource).toMatchObject({ "service.name": "intentry", "deployment.environment": "test" });
    const query = await child(span, "SELECT agent");
    expect(query).toMatchObject({ kind: CLIENT, attributes: { "db.system.name": "postgresql" } });
    expect(query.attributes["db.query.text"]).toContain('where "agent"."agent_id" = $1');
    expect(BigInt(query.startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
    expect(BigInt(query.endTimeUnixNano)).toBeLessThanOrEqual(BigInt(span.endTimeUnixNano));
    expect(collector.headers.at(-1)).toMatchObject({ "x-key": "secret" });

    await expect
      .poll(async () => {
        const again = newTrace();
        await fetch(`${index.apiUrl}/agents/1`, { headers: again.headers });
        return (await requestSpan(again.traceId)).attributes["intentry.cache_hit"];
      })
      .toBe(true);
  });

  it("contain a paid request: facilitator, provider, nodes and store, with the trace's context sent on", async () => {
    const url = `${index.apiUrl}/portfolio?address=${demoPayer.address}&chains=local`;
    const { header } = await sign(demoPayer, askedFor(await fetch(url)));
    const { traceId, spanId, headers } = newTrace();
    facilitator.traceParents.length = 0;
    proxy.traceParents.length = 0;
    const ids = { "x-request-id": "paid-1" };
    expect((await fetch(url, { headers: { ...headers, ...ids, "payment-signature": header } })).status).toBe(200);
    const span = await requestSpan(traceId);
    expect(span).toMatchObject({ name: "GET /portfolio", parentSpanId: spanId });
    expect(span.attributes).toMatchObject({ "intentry.operation": "portfolio.get", "http.response.status_code": 200 });

    const [verify, settle] = [await child(span, "facilitator verify"), await child(span, "facilitator settle")];
    expect(verify).toMatchObject({ kind: CLIENT, attributes: { "server.address": "127.0.0.1" } });
    const sentBy = (one: ReceivedSpan) => `00-${traceId}-${one.spanId}-01`;
    expect(facilitator.traceParents).toEqual([sentBy(verify), sentBy(settle)]);
    expect(facilitator.requestIds.slice(-2)).toEqual(["paid-1", "paid-1"]);
    // The calls of the provider.
    expect(new Set(proxy.requestIds)).toEqual(new Set(["paid-1"]));

    const read = await child(span, "portfolio read");
    expect(read.attributes).toMatchObject({ "intentry.provider": "rpc", "intentry.chains": "local" });
    const call = await child(read, "eth_getBlockByNumber");
    expect(call).toMatchObject({
      kind: CLIENT,
      attributes: { "rpc.system": "jsonrpc", "server.address": "127.0.0.1" },
    });
    expect(proxy.traceParents).toContain(sentBy(call));

    await child(span, "INSERT offchain.payment");
    // The block before the settlement, read from the payment network.
    await child(span, "eth_blockNumber");
    expect(JSON.stringify(collector.trace(traceId))).not.toContain(header.slice(0, 100));
  });

  it("contain a transaction of the store, with each of its statements", async () => {
    const { traceId, headers } = newTrace();
    const response = await fetch(`${index.apiUrl}/intents/metadata`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify({ intent_hash: hashOf("intent"), owner: actor(1).address, execution_data: "0xa9059cbb" }),
    });
    expect(response.status).toBe(201);
    const span = await requestSpan(traceId);
    expect(span).toMatchObject({ name: "POST /intents/metadata", attributes: { "http.response.status_code": 201 } });
    await child(span, "INSERT offchain.intent_metadata");
    const names = childrenOf(span).map(({ name }) => name);
    expect(names).toContain("BEGIN");
    expect(names).toContain("COMMIT");
  });

  it.each<[string, string, RequestInit, string]>([
    ["tRPC", "/trpc/agents.get?input=%7B%22agentId%22%3A%221%22%7D", {}, "GET /trpc/*"],
    ["MCP", "/mcp", { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' }, "POST /mcp"],
    ["an unknown path", "/nothing", {}, "GET"],
    ["an invalid parameter", "/agents/x", {}, "GET /agents/{agentId}"],
  ])("have one span of the server for %s", async (_, path, init, name) => {
    const { traceId, spanId, headers } = newTrace();
    const type = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const { status } = await fetch(index.apiUrl + path, { ...init, headers: { ...headers, ...type } });
    const span = await requestSpan(traceId);
    expect(span).toMatchObject({ name, parentSpanId: spanId });
    expect(span.attributes["http.response.status_code"]).toBe(status);
    expect(collector.trace(traceId).filter(({ kind }) => kind === SERVER)).toHaveLength(1);
  });

  it("begin at the service without a valid traceparent, and contain only requests", async () => {
    await fetch(`${index.apiUrl}/agents/999`, { headers: { "x-request-id": "own-trace", traceparent: "nonsense" } });
    const find = () => collector.spans.find(({ attributes }) => attributes["intentry.request_id"] === "own-trace");
    await expect.poll(find).toBeDefined();
    expect(find()?.parentSpanId).toBeUndefined();
    const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(new Set(roots.map(({ kind }) => kind))).toEqual(new Set([SERVER]));
  });

  it("end the span of a stream when it has begun", async () => {
    const { traceId, headers } = newTrace();
    const messages: string[] = [];
    const { cut } = await openEvents(`${index.apiUrl}/events?from_block=0`, {
      headers,
      onMessage: ({ event }) => {
        messages.push(event);
        return true;
      },
    });
    await expect.poll(() => messages).toContain("message");
    const { name, endTimeUnixNano } = await requestSpan(traceId);
    expect(name).toBe("GET /events");
    const received = messages.length;
    const later = BigInt(Date.now()) * 1_000_000n;
    expect(BigInt(endTimeUnixNano)).toBeLessThanOrEqual(later);
    await stack.write(actor(1), "AgentRegistry", "registerAgent", ["two", "0x01", hashOf("two")]);
    await expect.poll(() => messages.length).toBeGreaterThan(received);
    // The reader of the event log runs on, and is not part of the request.
    for (const span of collector.trace(traceId)) expect(BigInt(span.startTimeUnixNano)).toBeLessThanOrEqual(later);
    cut();
  });

  it("come from every process of the gateway", async () => {
    const processes = () =>
      new Set(collector.spans.map(({ resource }) => resource["process.pid"]).filter((pid) => pid !== undefined));
    await expect
      .poll(async () => {
        await fetch(`${index.apiUrl}/agents/1`, { headers: { connection: "close" } });
        return processes().size;
      })
      .toBe(2);
  });

  it("don't affect requests while the collector is away, which is logged once per process", async () => {
    await collector.stop();
    const warnings = () =>
      index
        .log()
        .split("\n")
        .filter((line) => line.includes("traces can't be exported"));
    const requestsUntil = (isDone: () => boolean) =>
      expect
        .poll(async () => {
          const { status } = await fetch(`${index.apiUrl}/agents/1`, { headers: { connection: "close" } });
          return status === 200 && isDone();
        })
        .toBe(true);
    await requestsUntil(() => warnings().length === 2);
    for (let request = 0; request < 20; request++) await fetch(`${index.apiUrl}/agents/1`);
    await collector.restart();
    await requestsUntil(() => index.log().includes("traces are exported again"));
    expect(warnings()).toHaveLength(2);
  });

  it("are exported before the gateway stops", async () => {
    await index.stopIndexer();
    await index.startIndexer({ API_WORKERS: "1", OTEL_BSP_SCHEDULE_DELAY: "600000" });
    const { traceId, headers } = newTrace();
    await fetch(`${index.apiUrl}/agents/1`, { headers });
    expect(collector.trace(traceId)).toEqual([]);
    await index.stopIndexer();
    expect(collector.trace(traceId).map(({ kind }) => kind)).toContain(SERVER);
  });
});
