import { encodeFunctionData, erc20Abi, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { contractNames } from "../../config/contracts";
import { actor } from "../../stack/local/chain";
import { differences } from "../support/agreement";
import { FollowingClient } from "../support/event-client";
import {
  ALL_ONES,
  BIDS_ON_ONE_INTENT,
  EVENTS_IN_ONE_TRANSACTION,
  emitManyEvents,
  LAST_ADDRESS,
  LONG_AGENTS,
  MAX,
  ownerOfLongAgents,
  registerLongAgents,
  registerTexts,
  submitManyBids,
  useLargestValues,
} from "../support/hostile/chain";
import { hostileTexts, stored } from "../support/hostile/texts";
import { type Item, type List, lists, type Parameters, pagesByCursor } from "../support/lists/asking";
import { documentedRoutes } from "../support/openapi-routes";
import type { TransactionCase } from "../support/preflight/cases";
import { transactionCall, verdicts } from "../support/preflight/contract";
import { type Stack, startStack } from "../support/stack";

/**
 * What anyone may put on chain, from the list at the end of the protocol's specification, on one chain and through the API.
 * Texts and many events are in the backfill and in new blocks.
 *
 * | Hostile input | Proven here | Index tables proven by |
 * | --- | --- | --- |
 * | quote, facilitator, dispute, fulfilment, service id, limit, allowlist entry or selection again | | legal-sequences, random-history |
 * | sums beyond 2^256, trust signals about nobody | responses | legal-sequences |
 * | texts: empty, 100 kB, invalid UTF-8, lone surrogates, NUL, escapes | tables and responses, in every field | legal-sequences (agents) |
 * | 2^256 − 1 and all bits set, wherever the contracts accept it | tables and responses | |
 * | 5,000 events in one transaction, 1,000 of which lack data | tables and responses | submissions (six in one transaction) |
 * | 3,000 bids on one intent, in one transaction | tables and responses | |
 */
describe("a hostile chain", () => {
  let stack: Stack;
  let live: FollowingClient;
  let transactions: { events: Hex; bids: Hex };
  const texts = Object.values(hostileTexts).map(stored);

  beforeAll(async () => {
    stack = await startStack({ bulk: true, index: false });
    // One part is backfilled, the other happens while the indexer runs.
    await registerTexts(stack);
    const events = await emitManyEvents(stack);
    await stack.startIndexer();
    live = new FollowingClient(`${stack.apiUrl}/events?from_block=0`);
    await live.connect();
    await useLargestValues(stack);
    await registerLongAgents(stack);
    transactions = { events, bids: await submitManyBids(stack) };
    await stack.indexed();
  }, 600_000);
  afterAll(async () => {
    live?.cut();
    await stack?.stop();
  });

  /** The status and the JSON of a response. */
  const ask = async (path: string, init?: RequestInit) => {
    const response = await fetch(stack.apiUrl + path, init);
    return { status: response.status, body: (await response.json()) as Item };
  };
  const post = (path: string, body: unknown) =>
    ask(path, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream" },
      body: JSON.stringify(body),
    });
  const listOf = (path: string) => {
    const list = lists.find((one) => one.path === path);
    if (!list) throw new Error(`Unknown list ${path}`);
    return list;
  };

  it("is indexed in agreement with the contracts, by an indexer that stays up", async () => {
    expect(await differences(stack)).toEqual([]);
    expect((await ask("/ready")).status).toBe(200);
    expect(
      stack
        .log()
        .split("\n")
        .filter((line) => /restart|"level":(50|60)|(^|\s)ERROR\s/.test(line)),
    ).toEqual([]);
  });

  it("is delivered to subscribers, live and from the first block: every event once, in order", async () => {
    const address = contractNames.map((name) => stack.contracts[name]);
    const logs = await stack.client.getLogs({ address, fromBlock: 0n });
    const digits = (value: bigint | number, width: number) => String(value).padStart(width, "0");
    const ids = logs.map(
      ({ blockNumber, logIndex, blockHash }) =>
        `${digits(blockNumber, 12)}-${digits(logIndex, 6)}-${blockHash.slice(2, 18)}`,
    );
    expect(ids.length).toBeGreaterThan(EVENTS_IN_ONE_TRANSACTION + BIDS_ON_ONE_INTENT);
    const replayed = new FollowingClient(`${stack.apiUrl}/events?from_block=0`);
    await replayed.connect();
    for (const client of [live, replayed]) {
      await expect.poll(() => client.held.length, { timeout: 60_000 }).toBe(ids.length);
      expect(client.held).toEqual(ids.sort());
      expect(client.problems).toEqual([]);
      const agents = client.events.filter(({ event }) => event === "AgentRegistered");
      expect(agents.slice(0, texts.length).map(({ args }) => (args as Item).metadataURI)).toEqual(texts);
      for (const { summary } of client.events) expect(String(summary).length).toBeLessThan(1_000);
    }
    replayed.cut();
  });

  /** The parameters with which a list has items. */
  const parametersOf: Record<string, Parameters[]> = {
    "/agents": Object.keys(hostileTexts).map((_, index) => ({ owner: actor(1 + index).address })),
    "/attestations": [{ subject: ALL_ONES }],
    "/intents/{id}/bids": [{ id: "1" }, { id: "2" }],
    "/accounts/{address}/policies": [{ address: actor(17).address }],
  };

  /** All items of a list. */
  async function itemsOf(list: List): Promise<Item[]> {
    const everyPage = [];
    for (const parameters of parametersOf[list.path] ?? [{}])
      everyPage.push(...(await pagesByCursor(stack.apiUrl, list, { ...parameters, limit: "100", total: "true" })));
    return everyPage.flatMap((page) => page.items);
  }

  it.each(lists)("is served by $path", async (list) => {
    const items = await itemsOf(list);
    expect(items.length).toBeGreaterThan(0);
    const keys = items.map((item) => JSON.stringify(item));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("is served in whole pages, however long the texts are: a client may page by offset", async () => {
    const owner = ownerOfLongAgents.address;
    const pages = await pagesByCursor(stack.apiUrl, listOf("/agents"), { owner, limit: "10", total: "true" });
    expect(pages.map(({ pagination }) => pagination)).toMatchObject([
      { limit: 10, count: 10, next_cursor: expect.any(String), total: LONG_AGENTS },
      { limit: 10, count: LONG_AGENTS - 10, next_cursor: null, total: LONG_AGENTS },
    ]);
    const ids = pages.flatMap(({ items }) => items.map(({ agent_id }) => agent_id));
    expect(new Set(ids).size).toBe(LONG_AGENTS);
  });

  const singles = documentedRoutes.flatMap(({ method, path }) => {
    const list = lists.find((one) => path.startsWith(`${one.path}/{`) && path.endsWith("}"));
    return method === "GET" && list ? [{ path, list }] : [];
  });

  it.each(singles)("is served by $path, equal to the item in the list", async ({ path, list }) => {
    const items = await itemsOf(list);
    const keys = Object.keys(items[0] ?? {});
    const key = keys.find((name) => /^(\w+_(numeric_)?id|execution_hash|quote_hash)$/.test(name)) ?? "";
    for (const item of items.slice(0, 50)) {
      const { status, body } = await ask(path.replace(/\{\w+\}/, String(item[key])));
      // Only single receipts link their evidence.
      const { fulfillment_evidence: _, ...same } = body;
      expect([status, same]).toEqual([200, item]);
    }
  });

  it("is requested from every documented route that reads the index", () => {
    const offChain =
      /^\/(catalogs|quote-|fulfillment-|portfolio|tokens|health|ready|protocol|\.well-known|attestations\/schemas|intents\/metadata)/;
    const documented = documentedRoutes.filter(({ method, path }) => method === "GET" && !offChain.test(path));
    const others = [
      ...[
        "/merchants/{id}/reputation",
        "/agents/{agentId}/reputation",
        "/trust/{kind}/{id}",
        "/solvers/{id}/performance",
        "/solvers/leaderboard",
        "/leaderboard/{board}",
        "/intents/{id}/competition",
        "/analytics/commerce",
        "/analytics/timeseries",
        "/tx/{hash}/explain",
      ],
      ...["/search", "/names", "/events/recent"],
    ];
    const requested = [...lists, ...singles].map(({ path }) => path).concat(others);
    expect(requested.sort()).toEqual(documented.map(({ path }) => path).sort());
  });

  it.each([
    ["/solvers", "metadata_uri", 1],
    ["/attestors", "metadata_uri", 0],
    ["/merchants", "metadata_uri", 0],
    ["/services", "service_id", 0],
    ["/facilitators", "metadata_uri", 1],
  ])("has its texts in %s, as %s", async (path, field, others) => {
    const items = await itemsOf(listOf(path));
    expect(items.map((item) => item[field]).slice(0, items.length - others)).toEqual(texts);
  });

  it("has the updated texts of agents and services, and public keys of 100 kB", async () => {
    const rotated = [texts.at(-1), ...texts.slice(0, -1)];
    const agents = await itemsOf(listOf("/agents"));
    expect(agents.map(({ metadata_uri }) => metadata_uri)).toEqual(rotated);
    expect(agents.map(({ pubkey }) => pubkey)).toEqual(Object.values(hostileTexts));
    const services = await itemsOf(listOf("/services"));
    expect(services.map(({ metadata_uri }) => metadata_uri)).toEqual(rotated);
  });

  it.each([
    "/solvers/1/performance",
    "/solvers/leaderboard?window=all",
    ...["merchants", "services", "solvers", "agents", "facilitators"].map(
      (board) => `/leaderboard/${board}?window=all`,
    ),
    "/intents/2/competition?limit=100",
  ])("is ranked by %s", async (path) => {
    expect(await ask(path)).toMatchObject({ status: 200 });
  });

  it("has 3,000 bids on one intent, best first", async () => {
    const items = await itemsOf(listOf("/intents/{id}/bids"));
    const bids = items.filter(({ intent_id }) => intent_id === "2");
    expect(bids).toHaveLength(BIDS_ON_ONE_INTENT);
    const amounts = bids.map(({ amount_out }) => BigInt(String(amount_out)));
    expect(amounts).toEqual([...amounts].sort((a, b) => (a > b ? -1 : a < b ? 1 : 0)));
    expect(amounts[0]).toBe(MAX);
    const { body } = await ask("/intents/2/bids?status=open&limit=1&total=true");
    expect(body.pagination).toMatchObject({ total: BIDS_ON_ONE_INTENT });
    for (const bid of [...bids.slice(0, 5), ...bids.slice(-5)])
      expect(await ask(`/bids/${bid.bid_id}`)).toEqual({ status: 200, body: bid });
  });

  it.each(["agent", "merchant", "service", "solver", "attestor", "facilitator"])(
    "is searched for a record of type %s",
    async (type) => {
      const { status, body } = await ask(`/search?type=${type}&limit=100`);
      expect([status, body]).toEqual([200, expect.objectContaining({ results: expect.any(Array) })]);
      expect((body.results as Item[]).length).toBeGreaterThan(0);
    },
  );

  it("is asked for the names of all its records", async () => {
    const types = ["agent", "merchant", "service", "solver", "attestor", "facilitator"];
    const keys = types.flatMap((type) => texts.map((_, index) => `${type}-${index + 1}`));
    // No text is a URI of metadata.
    expect(await ask(`/names?records=${keys}`)).toEqual({ status: 200, body: { names: [] } });
  });

  it("has its newest events in one response, whatever their size", async () => {
    const nobody = MAX - 7n;
    const filters = ["", "&name=AgentRegistered", "&contract=CommerceRegistry", "&intent_id=2", `&agent=${nobody}`];
    for (const filter of filters) {
      const response = await fetch(`${stack.apiUrl}/events/recent?limit=100${filter}`);
      const text = await response.text();
      const { events } = JSON.parse(text) as { events: { id: string }[] };
      const ids = events.map(({ id }) => id);
      expect([filter, response.status, ids]).toEqual([filter, 200, [...ids].sort().reverse()]);
      expect(ids.length > 0).toBe(!filter.includes(String(nobody)));
      // A mebibyte of arguments and one more event, escaped in JSON, and their descriptions.
      expect(text.length).toBeLessThan(8 * 1024 * 1024);
    }
  });

  it("has 2^256 − 1 in every amount, and sums beyond it", async () => {
    const most = String(MAX);
    const { body: intent } = await ask("/intents/1");
    expect(intent).toMatchObject({
      ...{ amount_in_max: most, deadline: most, nonce: most, slippage_bps: "10000", status: "FILLED" },
      fill: { amount_in: most, amount_out: most, result_hash: ALL_ONES },
      execution: { target: LAST_ADDRESS, data_hash: ALL_ONES, required_attestation_subject: ALL_ONES },
    });
    const solvers = await itemsOf(listOf("/solvers"));
    expect(solvers.at(-1)).toMatchObject({ successful_fills: "1", avg_surplus_out: most });
    const policies = await itemsOf(listOf("/accounts/{address}/policies"));
    expect(policies.filter(({ policy_type }) => policy_type === "SPEND_LIMIT")).toMatchObject(
      Array(2).fill({ max_per_day: most, spent_today: most }),
    );
    for (const id of texts.keys())
      for (const path of [
        `/merchants/${id + 1}/reputation`,
        `/agents/${id + 1}/reputation`,
        `/trust/service/${id + 1}`,
      ])
        expect([path, (await ask(path)).status]).toEqual([path, 200]);
    const { body: reputation } = await ask("/merchants/1/reputation");
    expect(reputation.commerce).toMatchObject({ receipts: "2", settled_volume: String(2n * MAX) });
    const { body: analytics } = await ask("/analytics/commerce");
    expect(analytics.volume_by_token).toMatchObject([{ token: LAST_ADDRESS, settled_volume: String(2n * MAX) }]);
    const { body: volume } = await ask(
      `/analytics/timeseries?metric=receipt_volume&interval=day&token=${LAST_ADDRESS}`,
    );
    expect(volume.total).toBe(String(2n * MAX));
    const { body: signals } = await ask(`/trust-signals?subject_id=${MAX}&total=true`);
    expect(signals.pagination).toMatchObject({ total: 4 });
  });

  it.each(["events", "bids"] as const)("is explained: a transaction with thousands of %s", async (name) => {
    const { status, body } = await ask(`/tx/${transactions[name]}/explain`);
    const count = name === "events" ? EVENTS_IN_ONE_TRANSACTION : BIDS_ON_ONE_INTENT;
    expect([status, body.summary]).toEqual([200, `Transaction contained ${count} event(s)`]);
    expect(body.events).toHaveLength(count);
  });

  it("is explained: every transaction with a hostile text", async () => {
    const registered = (await stack.rows("eventLog")).filter(({ name }) => /Registered|Updated/.test(name));
    for (const { txHash } of registered) expect((await ask(`/tx/${txHash}/explain`)).status).toBe(200);
  });

  it("is served over tRPC and MCP too", async () => {
    const { body: agent } = await ask("/agents/2");
    const input = encodeURIComponent(JSON.stringify({ agentId: "2" }));
    expect(await ask(`/trpc/agents.get?input=${input}`)).toEqual({ status: 200, body: { result: { data: agent } } });
    const call = { name: "transactions_explain", arguments: { hash: transactions.events } };
    const { status, body } = await post("/mcp", { jsonrpc: "2.0", id: 1, method: "tools/call", params: call });
    expect(status).toBe(200);
    const { isError, structuredContent } = body.result as {
      isError?: boolean;
      structuredContent: { events: object[] };
    };
    expect([isError, structuredContent.events.length]).toEqual([undefined, EVENTS_IN_ONE_TRANSACTION]);
  });

  it("is checked by preflight as by the contract", async () => {
    const account = actor(17).address;
    const transfer = (amount: bigint) =>
      encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [LAST_ADDRESS, amount] });
    const cases: TransactionCase[] = [0n, 1n, MAX].flatMap((value) =>
      (["0x", "0xffffffff", transfer(0n), transfer(1n), transfer(MAX)] as const).flatMap((data) =>
        [account, stack.contracts.Multicall].map((from) => ({ account: from, target: LAST_ADDRESS, value, data })),
      ),
    );
    const onChain = await verdicts(stack, cases.map(transactionCall));
    for (const [index, { value, ...one }] of cases.entries()) {
      const { status, body } = await post("/preflight", { ...one, value: String(value) });
      expect([status, body.allowed], JSON.stringify(one)).toEqual([200, onChain[index] === null]);
    }
    expect(new Set(onChain).size).toBeGreaterThan(1);
  });
});
