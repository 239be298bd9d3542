import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { keccak256, stringToBytes } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freeCalls } from "../../api/operations/index";
import { routeOf } from "../../api/transports/rest/route";
import { actor } from "../../stack/local/chain";
import { evidenceOf } from "../../stack/local/sample/commerce";
import { hashOf } from "../../stack/local/sample/people";
import { publishExamples } from "../../stack/local/sample/published";
import { freePorts } from "../../stack/roles/ports";
import { type Gateway, startGateway } from "../../stack/supervision/gateway";
import { type Found, findParameters } from "../support/found";
import { addressOf } from "../support/lists/asking";
import { type Stack, startStack } from "../support/stack";

const WRITES = 50;
const AGENTS = 40;

describe("the response cache, with two gateways on one index", () => {
  let stack: Stack;
  let other: Gateway;
  let otherUrl: string;
  let found: Found;

  beforeAll(async () => {
    stack = await startStack({ sample: true, tokens: true });
    await publishExamples(stack.apiUrl, undefined);
    const [port = 0] = await freePorts(1);
    otherUrl = `http://127.0.0.1:${port}`;
    other = await startGateway({ env: { ...stack.env, API_PORT: String(port) } });
    await other.listening;
    found = await findParameters(stack.apiUrl);
  }, 180_000);
  afterAll(async () => {
    await other?.stop();
    await stack?.stop();
  });

  const cached = freeCalls.filter(({ operation }) => routeOf(operation).method === "GET" && !operation.status);
  const pathOf = (name: string) => {
    const operation = freeCalls.find((one) => one.name === name)?.operation;
    if (!operation) throw new Error(`No operation ${name}`);
    const example = Object.entries({ ...operation.example, ...found[name] }).map(([key, value]) => [
      key,
      String(value),
    ]);
    return addressOf(routeOf(operation).path, Object.fromEntries(example));
  };
  const read = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init);
    const { "x-request-id": requestId, ...headers } = Object.fromEntries(response.headers);
    for (const name of ["date", "connection", "keep-alive"]) delete headers[name];
    return { requestId, status: response.status, headers, body: await response.text() };
  };

  it.each(cached.map(({ name }) => name))(
    "%s has the same response from the cache, also for HEAD and as 304",
    async (name) => {
      const url = `${otherUrl}${pathOf(name)}`;
      const { requestId: firstId, ...first } = await read(url);
      const { requestId: secondId, ...second } = await read(url, { headers: { "x-request-id": "mine" } });
      expect(second).toEqual(first);
      expect([firstId, secondId]).toEqual([expect.stringMatching(/^[\da-f-]{36}$/), "mine"]);
      const head = await read(url, { method: "HEAD" });
      expect(first.status).toBe(200);
      expect(head).toMatchObject({ status: 200, headers: first.headers, body: "" });
      const { etag = "" } = first.headers;
      const unchanged = await read(url, { headers: { "if-none-match": etag } });
      expect(unchanged).toMatchObject({ status: 304, body: "", headers: { etag } });
      expect((await read(url, { headers: { "if-none-match": '"other"' } })).body).toBe(first.body);
    },
  );

  /** Reads a path from both gateways continuously, so that each has a recent revision and a cached response. */
  async function whileRead(path: string, act: () => Promise<void>): Promise<void> {
    let isDone = false;
    const readers = [stack.apiUrl, otherUrl].map(async (url) => {
      while (!isDone) await read(`${url}${path}`);
    });
    try {
      await act();
    } finally {
      isDone = true;
      await Promise.all(readers);
    }
  }

  it("lets a client read its own writes at once, on every gateway", async () => {
    const path = "/intents/6/bids?limit=100";
    await whileRead(path, async () => {
      for (let number = 0; number < WRITES; number++) {
        const [writer, reader] = number % 2 === 0 ? [stack.apiUrl, otherUrl] : [otherUrl, stack.apiUrl];
        const response = await fetch(`${writer}/intents/6/bids`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({
            solver: actor(3).address,
            amount_in: "1",
            amount_out: String(number + 1),
            fee: "0",
            valid_until: "4000000000",
          }),
        });
        expect(response.status).toBe(201);
        const { bid_id } = (await response.json()) as { bid_id: string };
        expect((await read(`${reader}${path}`)).body).toContain(`"${bid_id}"`);
      }
    });
  });

  it("lets a client read a document that it has published, on every gateway, while others request it too", async () => {
    for (let number = 0; number < WRITES; number++) {
      const [writer, reader] = number % 2 === 0 ? [stack.apiUrl, otherUrl] : [otherUrl, stack.apiUrl];
      const catalog_json = JSON.stringify({ number });
      const path = `/catalogs/${keccak256(stringToBytes(catalog_json))}`;
      const publish = (fields: object) =>
        fetch(`${writer}/catalogs`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ catalog_json, ...fields }),
        });
      await whileRead(path, () =>
        whileRead(`${path}/metadata`, async () => {
          expect((await publish({})).status).toBe(201);
          expect(await read(`${reader}${path}`)).toMatchObject({ status: 200, body: catalog_json });
          expect((await read(`${reader}${path}/metadata`)).body).toContain('"merchant_id":null');
          // Fills an empty field of the metadata, which is kept by now.
          expect((await publish({ merchant_id: "7" })).status).toBe(201);
          expect((await read(`${reader}${path}/metadata`)).body).toContain('"merchant_id":"7"');
        }),
      );
    }
  });

  it("links a receipt's evidence as soon as it is published, on every gateway", async () => {
    const linkOf = async (url: string, id: number) =>
      JSON.parse((await read(`${url}/receipts/${id}`)).body).fulfillment_evidence;
    expect([await linkOf(otherUrl, 2), await linkOf(otherUrl, 4)]).toEqual([null, null]);
    const evidence = (id: number) => ({
      evidence_hash: hashOf(evidenceOf(id)),
      evidence_type: "delivery",
      uri: `${otherUrl}/fulfillment-evidence/${hashOf(evidenceOf(id))}`,
    });
    expect(await linkOf(otherUrl, 1)).toEqual(evidence(1));
    await whileRead("/receipts/4", async () => {
      const response = await fetch(`${stack.apiUrl}/fulfillment-evidence`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ fulfillment_evidence_json: evidenceOf(4) }),
      });
      expect(response.status).toBe(201);
      expect(await linkOf(otherUrl, 4)).toEqual(evidence(4));
    });
  });

  it("shows an event's effect once the event was sent, on every gateway", async () => {
    const events = await fetch(`${stack.apiUrl}/events?name=AgentRegistered`);
    const lines = events.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const received = async (part: string) => {
      while (!text.includes(part)) text += (await lines?.read())?.value ?? "";
    };
    await received("event: ready");
    const path = `/agents?owner=${actor(5).address.toLowerCase()}`;
    await whileRead(path, async () => {
      for (let number = 0; number < AGENTS; number++) {
        const uri = `ipfs://agent-${number}`;
        await stack.write(actor(5), "AgentRegistry", "registerAgent", [uri, "0x01", hashOf(uri)]);
        await received(uri);
        for (const url of [otherUrl, stack.apiUrl]) expect((await read(`${url}${path}`)).body).toContain(`"${uri}"`);
      }
    });
    await lines?.cancel();
  });

  it("serves no error from the cache, and no other host's URLs", async () => {
    const { body: notFound, status } = await read(`${otherUrl}/agents/999999`);
    expect([status, notFound]).toEqual([404, '{"error":"Agent 999999 not found","code":"not_found"}']);
    expect(await read(`${otherUrl}/agents/999999`)).toMatchObject({ status, body: notFound });
    const catalog = await fetch(`${otherUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: "{}" }),
    });
    expect(catalog.status).toBe(201);
    const { catalog_hash } = (await catalog.json()) as { catalog_hash: string };
    const path = `/catalogs/${catalog_hash}/metadata`;
    const { body } = await read(`${otherUrl}${path}`);
    const { port } = new URL(otherUrl);
    const viaName = await read(`http://localhost:${port}${path}`);
    expect(viaName.body).toBe(body.replaceAll("127.0.0.1", "localhost"));
  });

  describe("with a small limit", () => {
    const MAX_BYTES = 4_000_000;
    /** Besides the cache: compiled code, connections and responses that are being sent. */
    const CONSTANT_BYTES = 12_000_000;
    let small: Gateway;
    let smallUrl: string;

    beforeAll(async () => {
      const [port = 0] = await freePorts(1);
      smallUrl = `http://127.0.0.1:${port}`;
      small = await startGateway({
        env: {
          ...stack.env,
          API_PORT: String(port),
          RESPONSE_CACHE_BYTES: String(MAX_BYTES),
          NODE_OPTIONS: `--require ${join(import.meta.dirname, "..", "support", "collect-garbage.cjs")}`,
        },
      });
      await small.listening;
    });
    afterAll(() => small?.stop());

    /** The heap and the buffers of all gateways; the others are idle. */
    const memory = async () => {
      const { body } = await read(`${smallUrl}/metrics`);
      const bytesOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]);
      return bytesOf("nodejs_heap_size_used_bytes") + bytesOf("nodejs_external_memory_bytes");
    };
    /** The lowest of several readings, taken until garbage was collected. */
    const liveMemory = async () => {
      const readings: number[] = [];
      for (let reading = 0; reading < 30; reading++) {
        readings.push(await memory());
        await sleep(200);
      }
      return Math.min(...readings);
    };
    /** One of many spellings of a text in a URL: with the characters percent-encoded whose bit in `number` is set. */
    const spelled = (text: string, number: number) =>
      [...text].map((one, at) => ((number >> at) & 1 ? `%${one.charCodeAt(0).toString(16)}` : one)).join("");
    const post = (path: string, body: object) =>
      fetch(`${smallUrl}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });

    /** Repeats reads, and expects that the memory of the process does not grow by more than the limit and the constant. */
    const expectBounded = async (rounds: number, act: (round: number) => Promise<void>) => {
      await act(0);
      const before = await liveMemory();
      for (let round = 1; round < rounds; round++) await act(round);
      await expect.poll(memory).toBeLessThan(before + MAX_BYTES + CONSTANT_BYTES);
    };

    it("stays within its memory over 1,000 evictions, with several URLs of each input", async () => {
      const hashes: string[] = [];
      for (let number = 0; number < 40; number++) {
        const published = await post("/catalogs", { catalog_json: JSON.stringify([number, "x".repeat(120_000)]) });
        expect(published.status).toBe(201);
        hashes.push(((await published.json()) as { catalog_hash: string }).catalog_hash);
      }
      await expectBounded(25, async (round) => {
        for (const hash of hashes)
          for (const spelling of [2 * round, 2 * round + 1])
            expect((await read(`${smallUrl}/catalogs/${spelled(hash, spelling)}`)).status).toBe(200);
      });
    });

    it("stays within its memory over 1,000 replaced responses, each with a URL of its own", async () => {
      const bid = (number: number) =>
        post("/intents/6/bids", {
          solver: actor(3).address,
          amount_in: "1",
          amount_out: String(10_000 + number),
          fee: "0",
          valid_until: "4000000000",
        });
      for (let number = 0; number < 100; number++) expect((await bid(number)).status).toBe(201);
      await expectBounded(100, async (round) => {
        expect((await bid(100 + round)).status).toBe(201);
        for (let limit = 91; limit <= 100; limit++) {
          const query = `${spelled("limit", round)}=${spelled(String(limit), round >> 5)}`;
          const { status, body } = await read(`${smallUrl}/intents/6/bids?${query}`);
          expect([status, body.length > 20_000]).toEqual([200, true]);
        }
      });
    });
  });
});
