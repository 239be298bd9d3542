import { request } from "node:http";
import { json } from "node:stream/consumers";
import { type Address, concat, encodeAbiParameters, encodeFunctionData, type Hex, stringToHex, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { policyModuleAbi } from "../../abis/index";
import { openStore } from "../../api/offchain/open";
import { readTokens } from "../../api/offchain/tokens";
import type { Token } from "../../api/tokens/token";
import { createTokens } from "../../api/tokens/tokens";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { actor } from "../../stack/local/chain";
import { deployTokens } from "../../stack/local/local-tokens";
import { openEvents, type WireMessage } from "../support/event-client";
import { type Index, indexOf } from "../support/index-of";
import { addressOf, ask } from "../support/lists/asking";
import { type RpcProxy, startRpcProxy } from "../support/rpc-proxy";
import { type Stack, startStack } from "../support/stack";
import { type Behavior, contractCode } from "../support/tokens/contract-code";

const account = actor(11);
const owner = account.address.toLowerCase();

const text = (value: string): Behavior => ({ returns: encodeAbiParameters([{ type: "string" }], [value]) });
const word = (value: bigint): Behavior => ({ returns: toHex(value, { size: 32 }) });

type Functions = Readonly<Record<"symbol()" | "name()" | "decimals()", Behavior>>;

const usual: Functions = { "symbol()": text("OWN"), "name()": text("Own Token"), "decimals()": word(6n) };

/** Tokens on the chain, and what is shown of them. */
const contracts: Readonly<Record<string, { functions: Partial<Functions>; shown: Partial<Token> }>> = {
  "a usual token": { functions: usual, shown: { symbol: "OWN", name: "Own Token", decimals: 6 } },
  "a token with bytes32 texts": {
    functions: {
      ...usual,
      "symbol()": { returns: stringToHex("MKR", { size: 32 }) },
      "name()": { returns: stringToHex("Maker", { size: 32 }) },
    },
    shown: { symbol: "MKR", name: "Maker", decimals: 6 },
  },
  "a symbol of 1 MB": {
    functions: {
      ...usual,
      "symbol()": {
        returns: concat([toHex(32, { size: 32 }), toHex(1_000_000, { size: 32 }), "0x61"]),
        size: 1_000_064,
      },
    },
    shown: { symbol: null, name: "Own Token", decimals: 6 },
  },
  "a symbol of 100 kB": {
    functions: { ...usual, "symbol()": text("x".repeat(100_000)) },
    shown: { symbol: `${"x".repeat(31)}…`, name: "Own Token", decimals: 6 },
  },
  "control characters, text directions and half a surrogate pair": {
    functions: {
      ...usual,
      "symbol()": text("US\u0000D\u202eC"),
      "name()": { returns: encodeAbiParameters([{ type: "bytes" }], ["0x61eda08062"]) },
    },
    shown: { symbol: "US\uFFFDD\uFFFDC", name: "a\uFFFD\uFFFD\uFFFDb", decimals: 6 },
  },
  "256 decimals": {
    functions: { ...usual, "decimals()": word(256n) },
    shown: { symbol: "OWN", name: "Own Token", decimals: null },
  },
  "2^256 - 1 decimals": {
    functions: { ...usual, "decimals()": word(2n ** 256n - 1n) },
    shown: { symbol: "OWN", name: "Own Token", decimals: null },
  },
  "a token that reverts": {
    functions: { "symbol()": "reverts", "name()": "reverts", "decimals()": "reverts" },
    shown: { source: "unknown" },
  },
  "a token that never ends": {
    functions: { "symbol()": "loops", "name()": "loops", "decimals()": "loops" },
    shown: { source: "unknown" },
  },
  "a token without decimals, whose name loops": {
    functions: { "symbol()": text("HALF"), "name()": "loops" },
    shown: { symbol: "HALF" },
  },
  "a contract that is not a token": { functions: {}, shown: { source: "unknown" } },
};

const placeOf = (index: number): Address => `0x${(0xc0de00 + index).toString(16).padStart(40, "0")}`;
const addressOfContract = (name: string) => placeOf(Object.keys(contracts).indexOf(name));

type Explanation = { events: { description: string; args: Record<string, unknown> }[] };

describe("tokens", () => {
  let stack: Stack;
  let proxy: RpcProxy;
  let index: Index;
  let points: Address;

  beforeAll(async () => {
    stack = await startStack({ index: false, sample: true });
    const list = await deployTokens(stack.client);
    points = list.tokens.find(({ symbol }) => symbol === "tPTS")?.address ?? "0x";
    for (const [number, { functions }] of Object.values(contracts).entries())
      await stack.client.setCode({ address: placeOf(number), bytecode: contractCode(functions) });
    // A listed contract that claims to be another token.
    await stack.client.setCode({ address: points, bytecode: contractCode({ ...usual, "symbol()": text("tUSD") }) });
    proxy = await startRpcProxy(stack.chain.rpcUrl);
    const chain = { ...stack.chain, rpcUrl: proxy.url };
    index = await indexOf(chain, stack.contracts, { DATABASE_URL: stack.databaseUrl }, undefined, list);
    await index.startIndexer();
  }, 180_000);
  afterAll(async () => {
    await index?.removeIndex();
    await proxy?.close();
    await stack?.stop();
  });

  const get = (address: string) => ask<Token & { chain_id: number }>(index.apiUrl, `/tokens/${address}`);
  const explain = async (hash: Hex) =>
    (await ask<Explanation>(index.apiUrl, addressOf("/tx/{hash}/explain", { hash }))).events.map(
      ({ description }) => description,
    );
  /** The calls of a token's contract. */
  const callsOf = (address: string) =>
    proxy.calls.filter(
      ({ method, params: [call] }) => method === "eth_call" && (call as { to?: string }).to?.toLowerCase() === address,
    ).length;
  const setLimit = async (token: Address, amount: bigint) => {
    const { transactionHash } = await stack.write(account, "PolicyModule", "setSpendLimit", [token, amount]);
    await index.indexed();
    return transactionHash;
  };

  it.each(Object.entries(contracts))("%s is shown as it may be", async (name, { shown }) => {
    const address = addressOfContract(name);
    const expected = {
      address,
      chain_id: LOCAL_CHAIN_ID,
      symbol: null,
      name: null,
      decimals: null,
      source: "contract",
      ...shown,
    };
    expect(await get(address)).toEqual(expected);
    const calls = callsOf(address);
    expect(calls).toBe(3);
    expect(await get(address.toUpperCase().replace("0X", "0x"))).toEqual(expected);
    expect(callsOf(address)).toBe(calls);
  });

  it("of the list are named as in the list, and their contracts are not read", async () => {
    expect(await get(points)).toMatchObject({ symbol: "tPTS", name: "Test Points", decimals: 18, source: "list" });
    expect(callsOf(points)).toBe(0);
    expect(await get(stack.contracts.TestDollar)).toMatchObject({ symbol: "tUSD", decimals: 6, source: "list" });
    expect(await get(`0x${"00".repeat(20)}`)).toMatchObject({ symbol: "ETH", decimals: 18, source: "list" });
  });

  it("are unknown at an address without a contract, and rejected if it is not an address", async () => {
    expect(await get(owner)).toMatchObject({ symbol: null, name: null, decimals: null, source: "unknown" });
    const response = await fetch(`${index.apiUrl}/tokens/0x12`);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      error: "address: must be an address: 0x and 40 hex digits",
      code: "invalid_input",
    });
  });

  it("are known to other processes from the store, without the chain", async () => {
    const address = addressOfContract("a usual token");
    const store = await openStore({ databaseUrl: stack.databaseUrl, onIdleError: console.error });
    try {
      const tokens = createTokens({
        chainId: LOCAL_CHAIN_ID,
        listed: new Map(),
        native: undefined,
        read: () => Promise.reject(new Error("Unexpected call of a contract")),
        store: async () => store.db,
        onError: console.error,
      });
      const found = await tokens.find([address, owner as Address], 0);
      expect(found.get(address)).toMatchObject({ symbol: "OWN", source: "contract" });
      expect(found.get(owner as Address)).toMatchObject({ source: "unknown" });
      const stored = await readTokens(store.db, LOCAL_CHAIN_ID, [owner as Address]);
      // It is looked up again after an hour.
      expect(Math.abs((stored.get(owner as Address)?.retryMs ?? 0) - 3_600_000)).toBeLessThan(120_000);
    } finally {
      await store.close();
    }
  });

  it("give amounts in explained transactions and in events, beside the exact values", async () => {
    const messages: WireMessage[] = [];
    const stream = await openEvents(`${index.apiUrl}/events?account=${owner}`, {
      onMessage: (message) => {
        messages.push(message);
        return true;
      },
    });
    const own = addressOfContract("a usual token");
    const dollars = await setLimit(stack.contracts.TestDollar, 950_000_000n);
    const others = await setLimit(own, 1_234_567_890n);
    const sentences = [
      `${owner} may spend at most 950.00 tUSD a day`,
      `${owner} may spend at most 1,234.56789 OWN (token ${own}) a day`,
    ];
    expect([await explain(dollars), await explain(others)].flat()).toEqual(sentences);
    const events = () => messages.filter(({ event }) => event === "message").map(({ data }) => data);
    await expect.poll(() => events().map(({ summary }) => summary)).toEqual(sentences);
    expect(events().map(({ args }) => (args as Record<string, unknown>).maxPerDay)).toEqual([
      "950000000",
      "1234567890",
    ]);
    stream.cut();
  });

  it("of an intent give the amounts of its bids and its fill, and times are written as dates", async () => {
    const logs = await index.rows("eventLog");
    const [bid] = await explain(logs.find(({ name }) => name === "SolverBidSubmitted")?.txHash ?? "0x");
    const { bids } = await ask<{ bids: { bid_id: string; valid_until: string }[] }>(index.apiUrl, "/intents/1/bids");
    const time = Number(bids.find(({ bid_id }) => bid_id === "1-1")?.valid_until);
    const [, day = "", month = "", year = "", clock = ""] = new Date(time * 1000).toUTCString().split(" ");
    const output = "token 0x00000000000000000000000000000000000a11ce";
    expect(bid).toMatch(/^Bid #1 on intent #1 by 0x/);
    expect(bid).toContain(`: 1,000.00 tUSD in, 955000000 of ${output} out, fee 1000000, valid until `);
    expect(bid).toContain(` until ${Number(day)} ${month} ${year} ${clock.slice(0, 5)} UTC`);
    const [filled] = await explain(logs.find(({ name }) => name === "IntentFilled")?.txHash ?? "0x");
    expect(filled).toContain(`: 990.00 tUSD in, 970000000 of ${output} out`);
  });

  it("appear in responses once the chain answers", async () => {
    const address: Address = `0x${"ab".repeat(20)}`;
    await stack.client.setCode({ address, bytecode: contractCode({ ...usual, "symbol()": text("LATE") }) });
    proxy.decide(({ method, params: [call] }) =>
      method === "eth_call" && (call as { to?: string }).to?.toLowerCase() === address ? "fail" : "pass",
    );
    const hash = await setLimit(address, 7_000_000n);
    expect(await get(address)).toMatchObject({ symbol: null, source: "pending" });
    expect(await explain(hash)).toEqual([`${owner} may spend at most 7000000 of token ${address} a day`]);
    proxy.decide(() => "pass");
    await expect
      .poll(() => explain(hash), { timeout: 20_000, interval: 200 })
      .toEqual([`${owner} may spend at most 7.00 LATE (token ${address}) a day`]);
    expect(await get(address)).toMatchObject({ symbol: "LATE", source: "contract" });
  });

  it("in any number cost a few calls per request", async () => {
    const FAKES = 400;
    const fakes = Array.from({ length: FAKES }, (_, number): Address => `0xfa${number.toString(16).padStart(38, "0")}`);
    const calls = fakes.map((token) => ({
      target: stack.contracts.PolicyModule,
      value: 0n,
      data: encodeFunctionData({ abi: policyModuleAbi, functionName: "setSpendLimit", args: [token, 1n] }),
    }));
    const { transactionHash } = await stack.write(account, "Multicall", "aggregate", [calls]);
    await index.indexed();
    const callsOfFakes = () => fakes.reduce((sum, fake) => sum + callsOf(fake), 0);
    expect(await explain(transactionHash)).toHaveLength(FAKES);
    // The request, and the reader of live events, which an earlier subscriber has started.
    expect(callsOfFakes()).toBeLessThanOrEqual(2 * 20 * 3);
  });

  const fake = (number: number): Address => `0xfb${number.toString(16).padStart(38, "0")}`;

  /** Finds one token after the other for each caller, and returns how many contracts were read for all of them. */
  const readsFor = async (callers: readonly ({ client: string } | undefined)[], first: number) => {
    const store = await openStore({ databaseUrl: stack.databaseUrl, onIdleError: console.error });
    let reads = 0;
    const tokens = createTokens({
      chainId: LOCAL_CHAIN_ID,
      listed: new Map(),
      native: undefined,
      async read() {
        reads++;
        return { symbol: null, name: null, decimals: null };
      },
      store: async () => store.db,
      onError: console.error,
    });
    try {
      for (const [number, caller] of callers.entries()) await tokens.find([fake(first + number)], 1_000, caller);
      return reads;
    } finally {
      await store.close();
    }
  };

  it("are limited per minute, for all clients together", async () => {
    const callers = Array.from({ length: 300 }, (_, number) => ({ client: `client ${number}` }));
    const reads = await readsFor(callers, 0);
    expect(reads).toBeGreaterThanOrEqual(120);
    // The calls may fall into two minutes.
    expect(reads).toBeLessThanOrEqual(2 * 120);
  });

  it("are limited per minute, for each client", async () => {
    const reads = await readsFor(Array(200).fill({ client: "one" }), 1_000);
    expect(reads).toBeGreaterThanOrEqual(40);
    expect(reads).toBeLessThanOrEqual(2 * 40);
  });

  it("are found for a client while another one asks for random addresses", async () => {
    // A client is the address of its connection.
    const from = (localAddress: string, address: string) =>
      new Promise<Token>((resolve, reject) => {
        request(`${index.apiUrl}/tokens/${address}`, { localAddress }, async (response) => {
          resolve((await json(response)) as Token);
        })
          .on("error", reject)
          .end();
      });
    const random = Array.from({ length: 200 }, (_, number) => `0xfc${number.toString(16).padStart(38, "0")}`);
    const answers = await Promise.all(random.map((address) => from("127.0.0.2", address)));
    expect(answers.map(({ source }) => source)).toContain("pending");
    const address: Address = `0x${"cd".repeat(20)}`;
    await stack.client.setCode({ address, bytecode: contractCode({ ...usual, "symbol()": text("OTHER") }) });
    expect(await from("127.0.0.3", address)).toMatchObject({ symbol: "OTHER", source: "contract" });
  });
});
