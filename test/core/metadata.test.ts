import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { type Hex, keccak256, parseEventLogs, stringToBytes, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentRegistryAbi } from "../../abis/index";
import { type MetadataResolver, startMetadataResolver } from "../../api/metadata/resolver";
import { openStore, type Store } from "../../api/offchain/open";
import { metadataLease } from "../../api/offchain/tables";
import { LOCAL_CHAIN_ID } from "../../config/networks";
import { hashOf } from "../../stack/local/sample/people";
import { DATABASE_SCHEMA } from "../support/index-of";
import { fund, ownAccount } from "../support/own-accounts";
import { type RecordedIndex, recordedIndex } from "../support/recorded-index";
import { type WrittenStack, writesStack } from "../support/shared-stack";
import { startMetadataServer } from "./metadata-server";

type Metadata = { state: string; reason: string | null; name: string | null; content: unknown; content_hash: string };

const CID = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
const owner = ownAccount("owner of metadata");
const MIB = 2 ** 20;

/** The bodies of the test's HTTPS server, by path. */
const bodies: Record<string, string> = {
  "/good": '{"name":"Good","tags":["fine"]}',
  "/other": '{"name":"Other"}',
  "/html": "<!doctype html><title>No JSON</title>",
  "/deep": `{"a":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
  "/surrogates": '{"name":"a\\ud800b\\u0000c","\\udfff":"\\u0000"}',
  "/script": '{"name":"<script>alert(1)</script>","description":"<img src=x onerror=alert(1)>"}',
  "/list": "[1]",
};

const hashOfText = (text: string): Hex => keccak256(stringToBytes(text));

describe("the metadata of records", () => {
  let stack: WrittenStack;
  let web: Awaited<ReturnType<typeof startMetadataServer>>;
  let gateway: Server;
  let store: Store;
  let index: RecordedIndex;
  const resolvers: MetadataResolver[] = [];
  let merchantId: bigint;
  let requests: string[] = [];

  const startResolver = () => {
    const { port } = gateway.address() as AddressInfo;
    const origin = `http://127.0.0.1:${port}`;
    const resolver = startMetadataResolver({
      db: index.db,
      store: async () => store.db,
      chainId: LOCAL_CHAIN_ID,
      ownOrigins: [stack.apiUrl],
      ipfsGateways: [origin],
      fetchBytes: web.fetchWith({ timeMs: 1_000 }),
      intervalMs: 100,
      retryMs: 500,
      log: pino({ level: "silent" }),
    });
    resolvers.push(resolver);
    return resolver;
  };

  beforeAll(async () => {
    // The gateway under test serves what the resolver of this process stores: its connections lead to the test's server.
    stack = await writesStack();
    await fund(stack.client, owner);
    web = await startMetadataServer(({ url = "" }, response) => {
      requests.push(url);
      const body = bodies[url];
      if (body !== undefined) response.end(body);
      else if (url === "/loopback") response.writeHead(302, { location: "https://127.0.0.1/" }).end();
      else if (url === "/gigabyte") {
        response.writeHead(200);
        const write = (): unknown =>
          response.write(Buffer.alloc(MIB)) ? setImmediate(write) : response.once("drain", write);
        write();
      } else if (url === "/slow") response.write("{");
      else response.writeHead(404).end();
    });
    gateway = createServer(({ url }, response) => {
      if (url === `/ipfs/${CID}/agent.json`) response.end('{"name":"From IPFS"}');
      else response.writeHead(504).end();
    });
    await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
    store = await openStore({ databaseUrl: stack.databaseUrl, onIdleError: () => {} });
    index = recordedIndex(stack.databaseUrl, DATABASE_SCHEMA);
    startResolver();
  }, 180_000);
  afterAll(async () => {
    await Promise.all(resolvers.map((resolver) => resolver.stop()));
    await index?.close();
    await store?.close();
    await web?.close();
    gateway?.close();
    await stack?.release();
  });

  const read = async (path: string): Promise<Record<string, unknown>> => {
    const response = await fetch(`${stack.apiUrl}${path}`);
    return (await response.json()) as Record<string, unknown>;
  };
  const metadataOf = async (path: string) => (await read(`${path}?include=metadata`)).metadata as Metadata;

  /** Registers an agent and returns its path. */
  async function registerAgent(uri: string): Promise<string> {
    const { logs } = await stack.write(owner, "AgentRegistry", "registerAgent", [uri, "0x04", zeroHash]);
    const [registered] = parseEventLogs({ abi: agentRegistryAbi, logs, eventName: "AgentRegistered" });
    return `/agents/${registered?.args.agentId}`;
  }

  it("are in the response only with include=metadata, on every resource with a metadata URI", async () => {
    const uri = "https://metadata.test/good";
    const hash = hashOfText(bodies["/good"] ?? "");
    const { write } = stack;
    await write(owner, "CommerceRegistry", "registerMerchant", [owner.address, uri, hash]);
    merchantId = BigInt((await stack.rows("merchant")).at(-1)?.merchantId ?? 0);
    await write(owner, "CommerceRegistry", "registerService", [merchantId, "good", uri, hash, hashOf("capability")]);
    await write(owner, "CommerceRegistry", "registerFacilitator", [owner.address, uri, hash]);
    await write(owner, "SolverRegistry", "registerSolver", [uri, hashOf("capability")], 1n);
    await write(owner, "AttestorRegistry", "registerAttestor", [uri, hashOf("schema")]);
    const agent = await registerAgent(uri);
    const states = {
      [agent]: "unverified",
      [`/merchants/${merchantId}`]: "verified",
      [`/services/${(await stack.rows("service")).at(-1)?.serviceNumericId}`]: "verified",
      [`/facilitators/${(await stack.rows("facilitator")).at(-1)?.facilitatorId}`]: "verified",
      [`/solvers/${(await stack.rows("solver")).at(-1)?.solverId}`]: "unverified",
      [`/attestors/${(await stack.rows("attestor")).at(-1)?.attestorId}`]: "unverified",
    };
    await stack.indexed();
    for (const [path, state] of Object.entries(states)) {
      await expect
        .poll(() => metadataOf(path), { timeout: 20_000 })
        .toEqual({
          state,
          reason: null,
          content_hash: hash,
          name: "Good",
          description: null,
          tags: ["fine"],
          capabilities: [],
          content: { name: "Good", tags: ["fine"] },
          resolved_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        });
      const plain = await read(path);
      expect(plain).not.toHaveProperty("metadata");
      expect(await read(`${path}?include=metadata`)).toEqual({ ...plain, metadata: expect.anything() });
    }
    expect((await fetch(`${stack.apiUrl}/agents/1?include=everything`)).status).toBe(400);
  });

  it("that are hostile are unreachable with a reason, and nothing else changes", async () => {
    const reasons = {
      "https://metadata.test/gigabyte": "The content has more than 131072 bytes",
      "https://metadata.test/slow": "The server did not answer within 1 s",
      "https://metadata.test/loopback": "The host is not on the public internet",
      "https://metadata.test/html": "The content is not JSON",
      "https://metadata.test/list": "The content is not a JSON object",
      "https://metadata.test/deep": "The content is nested deeper than 32 levels",
      "https://metadata.test/missing": "The server responded with status 404",
      "https://127.0.0.1/": "The host is not on the public internet",
      "http://metadata.test/good": "The URL must start with https://",
      [`ipfs://${CID}/other.json`]: "The server responded with status 504",
      "": "The metadata URI is empty",
    };
    const paths: string[] = [];
    for (const uri of Object.keys(reasons)) paths.push(await registerAgent(uri));
    await stack.indexed();
    for (const [position, [uri, reason]] of Object.entries(reasons).entries())
      await expect
        .poll(() => metadataOf(paths[position] ?? ""), { timeout: 20_000, message: uri })
        .toMatchObject({ state: "unreachable", reason, name: null, content: null });
    expect((await fetch(`${stack.apiUrl}/ready`)).status).toBe(200);
  }, 60_000);

  it("are stored without NUL and unpaired surrogates, and with scripts as text", async () => {
    const surrogates = await registerAgent("https://metadata.test/surrogates");
    const script = await registerAgent("https://metadata.test/script");
    await stack.indexed();
    await expect
      .poll(() => metadataOf(surrogates), { timeout: 20_000 })
      .toMatchObject({
        state: "unverified",
        name: "a\ufffdb c",
        content: { name: "a\ufffdb\ufffdc", "\ufffd": "\ufffd" },
      });
    await expect
      .poll(() => metadataOf(script), { timeout: 20_000 })
      .toMatchObject({
        name: "<script>alert(1)</script>",
        description: "<img src=x onerror=alert(1)>",
      });
  });

  it("are read from data: URIs, from IPFS gateways and from our own documents", async () => {
    const data = await registerAgent('data:application/json,{"name":"From data"}');
    const ipfs = await registerAgent(`ipfs://${CID}/agent.json`);
    await stack.indexed();
    await expect.poll(() => metadataOf(data), { timeout: 20_000 }).toMatchObject({ name: "From data" });
    await expect.poll(() => metadataOf(ipfs), { timeout: 20_000 }).toMatchObject({ name: "From IPFS" });
  });

  it("are resolved once their document is published", async () => {
    const text = '{"name":"From a document"}';
    const path = await registerAgent(`${stack.apiUrl}/catalogs/${hashOfText(text)}`);
    await stack.indexed();
    await expect
      .poll(() => metadataOf(path), { timeout: 20_000 })
      .toMatchObject({ state: "unreachable", reason: "The document is not published" });
    const published = await fetch(`${stack.apiUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: text }),
    });
    expect(published.status).toBe(201);
    await expect
      .poll(() => metadataOf(path), { timeout: 20_000 })
      .toMatchObject({ state: "unverified", name: "From a document" });
  });

  it("with another hash than the one on chain are a mismatch, without content, until the chain has theirs", async () => {
    const { write } = stack;
    const uri = "https://metadata.test/other";
    const actual = hashOfText(bodies["/other"] ?? "");
    await write(owner, "CommerceRegistry", "updateMerchant", [merchantId, owner.address, uri, hashOf("wrong"), true]);
    await stack.indexed();
    await expect
      .poll(() => metadataOf(`/merchants/${merchantId}`), { timeout: 20_000 })
      .toMatchObject({
        state: "mismatch",
        reason: `The content's hash is ${actual}`,
        content_hash: actual,
        content: null,
        name: null,
      });
    await write(owner, "CommerceRegistry", "updateMerchant", [merchantId, owner.address, uri, actual, true]);
    await stack.indexed();
    await expect
      .poll(() => metadataOf(`/merchants/${merchantId}`), { timeout: 20_000 })
      .toMatchObject({ state: "verified", name: "Other" });
  });

  it("are never those of an earlier URI: after a change on chain they are pending, then the new ones", async () => {
    const path = await registerAgent("https://metadata.test/good");
    await stack.indexed();
    await expect.poll(() => metadataOf(path), { timeout: 20_000 }).toMatchObject({ name: "Good" });
    const seen = new Set<string>();
    const id = BigInt(path.split("/").at(-1) ?? 0);
    await stack.write(owner, "AgentRegistry", "updateAgent", [id, "https://metadata.test/other", zeroHash]);
    await stack.indexed();
    await expect
      .poll(
        async () => {
          const { state, name } = await metadataOf(path);
          seen.add(`${state} ${name}`);
          return name;
        },
        { timeout: 20_000, interval: 10 },
      )
      .toBe("Other");
    expect(seen).not.toContain("unverified Good");
  });

  it("of a block that a reorg replaces are those of the new block", async () => {
    const { client } = stack;
    const snapshot = await client.snapshot();
    const path = await registerAgent('data:,{"name":"Orphaned"}');
    await stack.indexed();
    await expect.poll(() => metadataOf(path), { timeout: 20_000 }).toMatchObject({ name: "Orphaned" });
    await client.revert({ id: snapshot });
    expect(await registerAgent('data:,{"name":"Canonical"}')).toBe(path);
    await client.mine({ blocks: 2 });
    await stack.indexed();
    await expect.poll(() => metadataOf(path), { timeout: 20_000 }).toMatchObject({ name: "Canonical" });
  });

  it("are those of the earlier URI again after a reorg removes an update, also of a record that is final", async () => {
    const { client } = stack;
    const path = await registerAgent('data:,{"name":"Earlier"}');
    await client.mine({ blocks: 100 });
    await stack.indexed();
    await expect.poll(() => metadataOf(path), { timeout: 20_000 }).toMatchObject({ name: "Earlier" });
    // The log is read again from the last final event on, which is then the registration.
    const events = await stack.rows("eventLog");
    const registration = events
      .map(({ id }) => id)
      .sort()
      .at(-1);
    const stored = async () => (await store.db.select().from(metadataLease))[0]?.eventId;
    await expect.poll(stored, { timeout: 20_000 }).toBe(registration);
    const snapshot = await client.snapshot();
    const id = BigInt(path.split("/").at(-1) ?? 0);
    await stack.write(owner, "AgentRegistry", "updateAgent", [id, 'data:,{"name":"Orphaned"}', zeroHash]);
    await stack.indexed();
    await expect.poll(() => metadataOf(path), { timeout: 20_000 }).toMatchObject({ name: "Orphaned" });
    await client.revert({ id: snapshot });
    await client.mine({ blocks: 2 });
    await stack.indexed();
    await expect.poll(() => metadataOf(path), { timeout: 20_000 }).toMatchObject({ name: "Earlier" });
  });

  it("are fetched by one of several processes, and by another one after it has stopped", async () => {
    const second = startResolver();
    requests = [];
    const path = await registerAgent("https://metadata.test/good");
    await stack.indexed();
    await expect.poll(() => metadataOf(path), { timeout: 20_000 }).toMatchObject({ name: "Good" });
    expect(requests.filter((url) => url === "/good")).toHaveLength(1);
    await resolvers[0]?.stop();
    const next = await registerAgent('data:,{"name":"Next"}');
    await stack.indexed();
    await expect.poll(() => metadataOf(next), { timeout: 20_000 }).toMatchObject({ name: "Next" });
    await second.stop();
  });
});
