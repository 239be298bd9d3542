import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { actor } from "../../stack/local/chain";
import { hashOf } from "../../stack/local/sample/people";
import { FollowingClient } from "../support/event-client";
import { get, host } from "../support/gateway-requests";
import { parseAnswer, sendRaw } from "../support/raw-http";
import { type Stack, startStack } from "../support/stack";

/** The samples of a scrape: values by name and labels, as in the text. */
const samplesOf = (text: string): Map<string, number> =>
  new Map(
    text
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]),
  );

describe("the metrics of the gateway", () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({ env: { API_WORKERS: "2" } });
    await stack.write(actor(1), "AgentRegistry", "registerAgent", ["one", "0x01", hashOf("one")]);
    await stack.indexed();
  });
  afterAll(() => stack?.stop());

  const scrape = async (headers: Record<string, string> = {}) => {
    const response = await fetch(`${stack.apiUrl}/metrics`, { headers });
    return { response, samples: samplesOf(await response.text()) };
  };
  const sampleOf = async (sample: string) => (await scrape()).samples.get(sample);

  it("count the requests of all processes by operation and status", async () => {
    const count = 'intentry_request_duration_seconds_count{operation="agents.get",status="200"}';
    const missing = 'intentry_request_duration_seconds_count{operation="agents.get",status="404"}';
    const before = (await sampleOf(count)) ?? 0;
    // Each request on a new connection, so that both processes serve some.
    for (let request = 0; request < 20; request++)
      await fetch(`${stack.apiUrl}/agents/1`, { headers: { connection: "close" } });
    await fetch(`${stack.apiUrl}/agents/999`);
    await fetch(`${stack.apiUrl}/nothing`);
    const { samples, response } = await scrape();
    expect(response.headers.get("content-type")).toContain("text/plain; version=0.0.4");
    expect(samples.get(count)).toBe(before + 20);
    expect(samples.get(missing)).toBe(1);
    expect(samples.get('intentry_request_duration_seconds_count{operation="unknown",status="404"}')).toBe(1);
    const cached = (result: string) => samples.get(`intentry_response_cache_requests_total{result="${result}"}`) ?? 0;
    expect(cached("hit")).toBeGreaterThan(0);
    expect(cached("miss")).toBeGreaterThan(0);
  });

  it("show the index, the store, the connections and the chain's nodes", async () => {
    const { samples } = await scrape();
    const head = Number(await stack.chain.client.getBlockNumber());
    expect(samples.get("intentry_ready")).toBe(1);
    expect(samples.get("intentry_store_ok")).toBe(1);
    expect(samples.get("intentry_index_block")).toBe(head);
    expect(samples.get("intentry_chain_block")).toBe(head);
    expect(samples.get("intentry_index_lag_blocks")).toBe(0);
    expect(samples.get("intentry_index_progress")).toBe(1);
    expect(samples.get("intentry_unpaid_payments")).toBe(0);
    const busy = 'intentry_database_connections{pool="index",state="busy"}';
    const idle = 'intentry_database_connections{pool="index",state="idle"}';
    expect((samples.get(busy) ?? 0) + (samples.get(idle) ?? 0)).toBeGreaterThan(0);
    const { host } = new URL(stack.chain.rpcUrl);
    expect(samples.get(`intentry_rpc_requests_total{node="${host}",result="ok"}`)).toBeGreaterThan(0);
    expect(samples.get("process_resident_memory_bytes")).toBeGreaterThan(50_000_000);
    // The newest start of the processes, so that a restart of each of them changes it.
    expect(Math.abs((samples.get("process_start_time_seconds") ?? 0) - Date.now() / 1000)).toBeLessThan(3_600);
  });

  it("count event streams and their messages", async () => {
    const client = new FollowingClient(`${stack.apiUrl}/events?from_block=0`);
    await client.connect();
    await expect.poll(() => client.held.length).toBe(1);
    expect(await sampleOf("intentry_event_streams")).toBe(1);
    expect(await sampleOf("intentry_event_messages_total")).toBe(2);
    client.cut();
    await expect.poll(() => sampleOf("intentry_event_streams")).toBe(0);
  });

  it("of the indexer include its requests to the chain's nodes", async () => {
    const samples = samplesOf(await (await fetch(`${stack.ponderUrl}/metrics/rpc`)).text());
    const { host } = new URL(stack.chain.rpcUrl);
    expect(samples.get(`intentry_rpc_requests_total{node="${host}",result="ok"}`)).toBeGreaterThan(0);
    // None of the gateway's, such as intentry_ready: they would be 0, and fire alerts.
    expect([...samples.keys()].filter((sample) => !sample.startsWith("intentry_rpc_requests_total{"))).toEqual([]);
    expect(await (await fetch(`${stack.ponderUrl}/metrics`)).text()).toContain("ponder_indexing_completed_events");
  });

  it("are not published by a proxy", async () => {
    const { response } = await scrape({ "x-forwarded-for": "203.0.113.7" });
    expect(response.status).toBe(403);
    expect((await fetch(`${stack.apiUrl}/metrics`, { method: "POST" })).status).toBe(405);
    for (const path of [
      "/metrics/",
      "/metrics//",
      "/metrics/.",
      "/metrics%2f",
      "//metrics",
      "/x/../metrics",
      "/%6detrics",
    ]) {
      const proxy = "X-Forwarded-For: 203.0.113.7";
      const { status } = parseAnswer(await sendRaw(stack.apiUrl, get(path, host, proxy)));
      expect([path, [403, 404].includes(status)]).toEqual([path, true]);
    }
  });
});
