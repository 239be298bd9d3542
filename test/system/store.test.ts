import { type Hex, keccak256, stringToBytes, zeroAddress, zeroHash } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { intentHash } from "../../src/lib/intent-hash";
import {
  type Body,
  DATA,
  intentsOfOwner,
  owner,
  SUBJECT,
  send as sendTo,
  solver,
  stranger,
  TARGET,
} from "../support/intents-of-owner";
import { type Stack, startStack } from "../support/stack";

describe("the store", () => {
  let stack: Stack;
  let deadline: bigint;
  let newIntent: ReturnType<typeof intentsOfOwner>["newIntent"];
  let submit: ReturnType<typeof intentsOfOwner>["submit"];
  let signed: ReturnType<typeof intentsOfOwner>["signed"];

  beforeAll(async () => {
    stack = await startStack({ env: { METADATA_AUTH: "signed" } });
    deadline = (await stack.client.getBlock()).timestamp + 100_000n;
    ({ newIntent, submit, signed } = intentsOfOwner(stack, deadline));
  }, 120_000);
  afterAll(() => stack?.stop());

  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    sendTo(stack, method, path, body, headers);
  const get = (path: string) => send("GET", path);

  const metadataOf = async (id: string) => (await get(`/intents/${id}`)).body.metadata;

  it("links reserved metadata to the intent once it is on chain", async () => {
    const intent = newIntent(false);
    const hash = intentHash(intent);
    const reserved = await send("POST", "/intents/metadata", {
      intent_hash: hash,
      owner: owner.address,
      execution_target: solver.address,
      execution_data: "0xABCD",
    });
    expect(reserved).toMatchObject({
      status: 201,
      body: { intent_hash: hash, intent_id: null, owner: owner.address.toLowerCase(), signed: false },
    });
    expect((await get(`/intents/metadata/${hash}`)).body).toEqual(reserved.body);
    const id = await submit(intent);
    expect(await metadataOf(id)).toEqual({
      execution_target: TARGET,
      execution_data: "0xabcd",
      required_attestation_subject: null,
      required_attestation_schema: null,
    });
    const list = (await get("/intents")).body.intents as Body[];
    expect(list.find(({ intent_id }) => intent_id === id)?.metadata).toEqual(await metadataOf(id));
    expect((await get(`/intents/metadata/${hash}`)).body).toEqual({ ...reserved.body, intent_id: id });
  });

  it("stores metadata of an indexed intent once, idempotently", async () => {
    const id = await submit(newIntent(false));
    const first = await send("PUT", `/intents/${id}/metadata`, { required_attestation_subject: SUBJECT });
    expect(first).toMatchObject({ status: 200, body: { intent_id: id, required_attestation_subject: SUBJECT } });
    expect(await send("PUT", `/intents/${id}/metadata`, { required_attestation_subject: SUBJECT })).toEqual(first);
    const other = await send("PUT", `/intents/${id}/metadata`, { execution_target: solver.address });
    expect(other.status).toBe(409);
    expect(await metadataOf(id)).toMatchObject({ required_attestation_subject: SUBJECT, execution_target: null });
  });

  it.each(["PUT", "POST"])(
    "stores one of 40 contents sent at once by %s, and returns 409 for the others",
    async (method) => {
      const intent = newIntent(false);
      const id = await submit(intent);
      const contents = Array.from({ length: 40 }, (_, number) => `0x${String(number).padStart(40, "a")}`);
      const publish = (execution_target: string) =>
        method === "PUT"
          ? send("PUT", `/intents/${id}/metadata`, { execution_target })
          : send("POST", "/intents/metadata", {
              intent_hash: intentHash(intent),
              owner: owner.address,
              execution_target,
            });
      const answers = await Promise.all(contents.map(publish));
      const accepted = answers.filter(({ status }) => status !== 409);
      expect(accepted).toMatchObject([{ status: method === "PUT" ? 200 : 201 }]);
      expect(await metadataOf(id)).toMatchObject({ execution_target: accepted[0]?.body.execution_target });
    },
  );

  it("rejects metadata of an unknown intent", async () => {
    expect((await send("PUT", "/intents/999/metadata", {})).status).toBe(404);
    expect((await get(`/intents/metadata/${zeroHash}`)).status).toBe(404);
  });

  it("attack: metadata that contradicts the intent's target, data or subject returns 409 and is never served", async () => {
    const intent = newIntent(true);
    const hash = intentHash(intent);
    const foreign = { execution_target: stranger.address, execution_data: "0x00", required_attestation_subject: hash };
    for (const [name, value] of Object.entries(foreign))
      await send("POST", "/intents/metadata", { intent_hash: hash, owner: owner.address, [name]: value });
    const id = await submit(intent);
    expect(await metadataOf(id)).toBeNull();
    for (const [name, value] of Object.entries(foreign)) {
      const refused = await send("PUT", `/intents/${id}/metadata`, { [name]: value });
      expect(refused).toEqual({
        status: 409,
        body: { error: expect.stringContaining(`${name}: differs`), code: "conflict" },
      });
    }
    const right = { execution_target: TARGET, execution_data: DATA, required_attestation_subject: SUBJECT };
    expect((await send("PUT", `/intents/${id}/metadata`, right)).status).toBe(200);
    const nothing = { execution_target: zeroAddress, execution_data: "0x", required_attestation_subject: zeroHash };
    for (const [name, value] of Object.entries(nothing))
      expect((await send("PUT", `/intents/${id}/metadata`, { ...right, [name]: value })).status).toBe(409);
    expect(await metadataOf(id)).toMatchObject(right);
  });

  it("attack: reserving for another owner's intent hash, before or after the owner, doesn't change signed metadata", async () => {
    const intent = newIntent(false);
    const hash = intentHash(intent);
    const reserve = (target: Hex, headers = {}, who = owner.address) =>
      send("POST", "/intents/metadata", { intent_hash: hash, owner: who, execution_target: target }, headers);
    expect((await reserve(stranger.address)).status).toBe(201);
    expect((await reserve(stranger.address, {}, stranger.address)).status).toBe(201);
    expect(await reserve(TARGET, await signed(hash, TARGET))).toMatchObject({ status: 201, body: { signed: true } });
    expect((await reserve(owner.address)).status).toBe(409);
    // A stranger can sign as the claimed owner. A request with the real owner returns the real owner's metadata.
    const theirs = await reserve(stranger.address, await signed(hash, stranger.address, stranger), stranger.address);
    expect(theirs.status).toBe(201);
    const ofOwner = await get(`/intents/metadata/${hash}?owner=${owner.address}`);
    expect(ofOwner.body).toMatchObject({ owner: owner.address.toLowerCase(), execution_target: TARGET, signed: true });
    const id = await submit(intent);
    expect(await metadataOf(id)).toMatchObject({ execution_target: TARGET });
    expect((await reserve(stranger.address, {}, stranger.address)).status).toBe(409);
    expect((await send("PUT", `/intents/${id}/metadata`, { execution_target: stranger.address })).status).toBe(409);
    expect(await metadataOf(id)).toMatchObject({ execution_target: TARGET });
  });

  it("lets the owner replace metadata with a signature, and rejects the replay of an old one", async () => {
    const intent = newIntent(false);
    const hash = intentHash(intent);
    const id = await submit(intent);
    await send("PUT", `/intents/${id}/metadata`, { execution_target: stranger.address });
    const put = async (target: Hex) =>
      send("PUT", `/intents/${id}/metadata`, { execution_target: target }, await signed(hash, target));
    expect(await put(TARGET)).toMatchObject({ status: 200, body: { signed: true } });
    const newer = owner.address.toLowerCase() as Hex;
    expect((await put(newer)).status).toBe(200);
    expect(await put(TARGET)).toEqual({
      status: 409,
      body: { error: expect.stringContaining("signed other metadata"), code: "conflict" },
    });
    expect(await metadataOf(id)).toMatchObject({ execution_target: newer });
  });

  it("attack: a signature for another intent, for another chain or by another account is rejected", async () => {
    const [intent, other] = [newIntent(false), newIntent(false)];
    const hash = intentHash(intent);
    const id = await submit(intent);
    await submit(other);
    const replayed = [
      await signed(intentHash(other), TARGET),
      await signed(hash, TARGET, owner, 1),
      await signed(hash, TARGET, stranger),
      await signed(hash, owner.address),
      { "x-owner-signature": "0x1234" },
      { "x-owner-signature": `0x${"00".repeat(65)}` },
    ];
    for (const headers of replayed) {
      const refused = await send("PUT", `/intents/${id}/metadata`, { execution_target: TARGET }, headers);
      expect(refused).toEqual({
        status: 400,
        body: { error: expect.stringContaining("x-owner-signature: "), code: "invalid_input" },
      });
    }
    expect(await metadataOf(id)).toBeNull();
  });

  it("attack: zero and empty values count as unset, so an old signature can't be replayed with them", async () => {
    const intent = newIntent(false);
    const hash = intentHash(intent);
    const id = await submit(intent);
    const put = async (body: Body, target: Hex) =>
      send("PUT", `/intents/${id}/metadata`, body, await signed(hash, target));
    expect((await put({ execution_target: TARGET }, TARGET)).status).toBe(200);
    const newer = owner.address.toLowerCase() as Hex;
    expect((await put({ execution_target: newer }, newer)).status).toBe(200);
    const disguised = { execution_target: TARGET, execution_data: "0x", required_attestation_subject: zeroHash };
    expect((await put(disguised, TARGET)).status).toBe(409);
    expect(await metadataOf(id)).toEqual({
      execution_target: newer,
      execution_data: null,
      required_attestation_subject: null,
      required_attestation_schema: null,
    });
  });

  it("accepts the signature of a contract (ERC-1271)", async () => {
    const account = stack.contracts.PolicyAccount;
    const signer = owner;
    const hash = keccak256(stringToBytes("an intent of the policy account"));
    const body = { intent_hash: hash, owner: account, execution_target: TARGET };
    expect((await send("POST", "/intents/metadata", body, await signed(hash, TARGET, stranger))).status).toBe(400);
    const accepted = await send("POST", "/intents/metadata", body, await signed(hash, TARGET, signer));
    expect(accepted).toMatchObject({ status: 201, body: { signed: true } });
  });

  it("has four built-in schemas. attack: replacing one of them", async () => {
    const { body } = await get("/attestations/schemas?total=true");
    const schemas = body.schemas as Body[];
    expect(schemas.map(({ name }) => name)).toEqual([
      "model_provider",
      "safety_review",
      "solver_reputation",
      "tool_capability",
    ]);
    for (const schema of schemas) {
      expect(schema).toMatchObject({ builtin: true, schema_hash: keccak256(stringToBytes(String(schema.name))) });
      const attack = { name: schema.name, json_schema: { type: "string" } };
      expect((await send("POST", "/attestations/schemas", attack)).status).toBe(409);
      const sideways = { name: `my-${schema.name}`.slice(0, 20), json_schema: {}, schema_hash: schema.schema_hash };
      expect((await send("POST", "/attestations/schemas", sideways)).status).toBe(409);
      expect((await get(`/attestations/schemas/${schema.schema_hash}`)).body).toEqual(schema);
    }
  });

  it("finds the built-in schemas under the hashes of the public deployment, which nobody else can take", async () => {
    const fixed = { solver_reputation: "11", tool_capability: "22", model_provider: "33", safety_review: "44" };
    for (const [name, byte] of Object.entries(fixed)) {
      const alias = `0x${byte.repeat(32)}`;
      const { status, body } = await get(`/attestations/schemas/${alias}`);
      expect([status, body.name, body.schema_hash, body.aliases]).toEqual([
        200,
        name,
        keccak256(stringToBytes(name)),
        [alias],
      ]);
      expect((await get(`/attestations/schemas/${body.schema_hash}`)).body).toEqual(body);
      const taken = { name: `other-${name}`, json_schema: {}, schema_hash: alias };
      expect(await send("POST", "/attestations/schemas", taken)).toEqual({
        status: 409,
        body: { error: `schema_hash: ${alias} is an alias of a built-in schema`, code: "conflict" },
      });
    }
    // Contracts compare hashes exactly, and so does the filter.
    expect((await get(`/attestations?schema=0x${"11".repeat(32)}`)).body.attestations).toEqual([]);
  });

  it("publishes a schema once, and rejects an invalid JSON Schema", async () => {
    const schema = { name: "price_feed", json_schema: { type: "object", required: ["price"] }, description: "Prices." };
    const first = await send("POST", "/attestations/schemas", schema);
    expect(first).toMatchObject({
      status: 201,
      body: { builtin: false, aliases: [], recommended_subject: null, ...schema },
    });
    expect(await send("POST", "/attestations/schemas", schema)).toEqual(first);
    const reordered = { ...schema, json_schema: { required: ["price"], type: "object" } };
    expect(await send("POST", "/attestations/schemas", reordered)).toEqual(first);
    expect((await send("POST", "/attestations/schemas", { ...schema, description: "Other." })).status).toBe(409);
    for (const bad of [
      {},
      { name: "Upper", json_schema: {} },
      { name: "x".repeat(65), json_schema: {} },
      { name: "no-schema" },
      { name: "array", json_schema: [] },
      { name: "no-type", json_schema: { type: "nonsense" } },
      { name: "no-pattern", json_schema: { required: "price" } },
      { name: "no-draft", json_schema: { $schema: "https://example.com/schema" } },
      { name: "short-hash", json_schema: {}, schema_hash: "0x12" },
    ]) {
      const refused = await send("POST", "/attestations/schemas", bad);
      expect(refused).toEqual({
        status: 400,
        body: { error: expect.stringMatching(/^(name|json_schema|schema_hash): /), code: "invalid_input" },
      });
    }
  });

  it.each([
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft-07/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
  ])("publishes valid schemas of the draft %s, and rejects invalid ones", async ($schema) => {
    const name = $schema.replace(/[^a-z0-9]+/g, "-");
    const publish = (json_schema: Body) => send("POST", "/attestations/schemas", { name, json_schema });
    expect((await publish({ $schema, type: "nonsense" })).status).toBe(400);
    expect(await publish({ $schema, type: "object" })).toMatchObject({
      status: 201,
      body: { json_schema: { $schema, type: "object" } },
    });
  });

  describe("bids", () => {
    let id: string;
    const bid = (amount_out: number, more: Body = {}) =>
      send("POST", `/intents/${id}/bids`, {
        solver: solver.address,
        amount_in: "1000",
        amount_out: String(amount_out),
        fee: "1",
        valid_until: String(deadline),
        ...more,
      });
    const bids = async (query = "") => (await get(`/intents/${id}/bids${query}`)).body.bids as Body[];

    beforeAll(async () => {
      id = await submit(newIntent(false));
    });

    it("of the chain and the store are one list, best first, on every page", async () => {
      for (const amount of [950n, 910n, 950n])
        await stack.write(solver, "IntentBook", "submitBid", [BigInt(id), 1000n, amount, 1n, deadline, zeroHash]);
      const plan = { execution_plan: { steps: ["swap"], __proto__: null } };
      for (const amount of [960, 950, 900, 950]) expect((await bid(amount, plan)).status).toBe(201);
      await stack.indexed();
      const all = await bids();
      expect(all.map(({ amount_out, source }) => `${amount_out} ${source}`)).toEqual([
        "960 offchain",
        "950 onchain",
        "950 onchain",
        "950 offchain",
        "950 offchain",
        "910 onchain",
        "900 offchain",
      ]);
      expect(all[0]).toMatchObject({ chain_bid_id: null, execution_plan: { steps: ["swap"] }, status: "OPEN" });
      for (const size of [1, 2, 3]) {
        const [byOffset, byCursor]: Body[][] = [[], []];
        for (let offset = 0; offset < all.length + size; offset += size)
          byOffset?.push(...(await bids(`?limit=${size}&offset=${offset}`)));
        for (let cursor: unknown = ""; cursor !== null; ) {
          const { body } = await get(
            `/intents/${id}/bids?limit=${size}&total=true${cursor ? `&cursor=${cursor}` : ""}`,
          );
          byCursor?.push(...(body.bids as Body[]));
          const pagination = body.pagination as { next_cursor: string | null; total: number };
          expect(pagination.total).toBe(all.length);
          cursor = pagination.next_cursor;
        }
        expect(byOffset).toEqual(all);
        expect(byCursor).toEqual(all);
      }
      for (const one of all) expect((await get(`/bids/${one.bid_id}`)).body).toEqual(one);
      for (const unknown of [`${id}-99`, "999-1", "offchain-999999", "bid"])
        expect(await get(`/bids/${unknown}`)).toEqual({
          status: 404,
          body: { error: `Bid ${unknown} not found`, code: "not_found" },
        });
    });

    it("have no fee unless the solver asks for one", async () => {
      const { status, body } = await bid(1, { fee: undefined });
      expect([status, body.fee]).toEqual([201, "0"]);
      expect((await bid(1, { fee: null })).body.fee).toBe("0");
      expect((await bid(1, { fee: "" })).body.fee).toBe("0");
    });

    it("accept JSON numbers up to 2^53 - 1, and reject others", async () => {
      expect((await bid(1, { fee: 7, valid_until: Number(deadline) })).body).toMatchObject({
        fee: "7",
        valid_until: String(deadline),
      });
      for (const fee of [2 ** 53, 0.5])
        expect(await bid(1, { fee })).toMatchObject({
          status: 400,
          body: { error: expect.stringMatching(/^fee: .*send it as a string$/) },
        });
    });

    it("are selected once each, and a new selection rejects the earlier one", async () => {
      const [best, , , second] = await bids();
      const select = (one: Body | undefined) => send("POST", `/bids/${one?.bid_id}/select`);
      expect(best?.selected_at).toBeNull();
      const chosen = await select(best);
      expect(chosen).toMatchObject({
        status: 200,
        body: { status: "SELECTED", selected_at: expect.stringMatching(/^\d+$/) },
      });
      expect((await select(best)).status).toBe(409);
      expect((await select(second)).status).toBe(200);
      expect((await bids("?status=selected")).map(({ bid_id }) => bid_id)).toEqual([second?.bid_id]);
      expect((await bids("?status=rejected")).map(({ bid_id }) => bid_id)).toEqual([best?.bid_id]);
      expect((await select(best)).status).toBe(409);
      const [replaced] = await bids("?status=rejected");
      expect(replaced?.selected_at).toBe(chosen.body.selected_at);
      const onchain = (await bids()).find(({ source }) => source === "onchain");
      expect(await select(onchain)).toEqual({
        status: 409,
        body: { error: expect.stringContaining("on chain"), code: "conflict" },
      });
      for (const unknown of ["offchain-999", "999-1", "nonsense", "offchain-", "offchain-1x"])
        expect((await send("POST", `/bids/${unknown}/select`)).status).toBe(404);
    });

    it("have one selection after concurrent selections", async () => {
      const made = await Promise.all([901, 902, 903, 904, 905, 906].map((amount) => bid(amount)));
      const answers = await Promise.all(made.map(({ body }) => send("POST", `/bids/${body.bid_id}/select`)));
      for (const { status } of answers) expect([200, 409]).toContain(status);
      expect(await bids("?status=selected")).toHaveLength(1);
    });

    it("selected on chain leave no off-chain bid selected", async () => {
      await stack.write(owner, "IntentBook", "selectBid", [BigInt(id), 1n]);
      await stack.indexed();
      expect((await bids("?status=selected")).map(({ bid_id }) => bid_id)).toEqual([`${id}-1`]);
      const open = (await bids("?status=open")).find(({ source }) => source === "offchain");
      expect((await send("POST", `/bids/${open?.bid_id}/select`)).status).toBe(409);
      const everyone = await Promise.all(["open", "selected", "rejected", "expired"].map((s) => bids(`?status=${s}`)));
      expect(everyone.flat()).toHaveLength((await bids()).length);
    });

    it("are rejected for an unknown or closed intent", async () => {
      await stack.write(owner, "IntentBook", "cancelIntent", [BigInt(id)]);
      await stack.indexed();
      expect((await bid(950)).status).toBe(409);
      const unknown = await send("POST", "/intents/999/bids", {
        solver: solver.address,
        amount_in: "1",
        amount_out: "1",
        fee: "0",
        valid_until: "1",
      });
      expect(unknown.status).toBe(404);
      expect((await bid(950, { amount_out: "-1" })).status).toBe(400);
      expect((await bid(950, { execution_plan: [] })).status).toBe(400);
      const offer = { solver: solver.address, amount_in: "1", amount_out: "1", fee: "0", valid_until: "1" };
      // Too deep to serialize in one call here.
      const nested = (body: Body) =>
        JSON.stringify(body).replace('"nested"', `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
      for (const refused of [
        await send("POST", `/intents/${id}/bids`, nested({ ...offer, execution_plan: "nested" })),
        await send("POST", "/attestations/schemas", nested({ name: "deep", json_schema: "nested" })),
      ])
        expect(refused).toEqual({
          status: 400,
          body: { error: expect.stringContaining("deeper than 64 levels"), code: "invalid_input" },
        });
    });
  });

  it("attack: creating or selecting a bid while the development helpers are disabled", async () => {
    const id = await submit(newIntent(false));
    const offer = {
      solver: solver.address,
      amount_in: "1000",
      amount_out: "950",
      fee: "0",
      valid_until: `${deadline}`,
    };
    const made = await send("POST", `/intents/${id}/bids`, offer);
    expect(made.status).toBe(201);
    const before = await get(`/intents/${id}/bids`);
    await stack.stopIndexer();
    await stack.startIndexer({ DEV_HELPERS: "false" });
    for (const bidId of [made.body.bid_id, `${id}-1`])
      expect((await send("POST", `/bids/${bidId}/select`)).status).toBe(403);
    expect((await send("POST", `/intents/${id}/bids`, offer)).status).toBe(403);
    expect(await get(`/intents/${id}/bids`)).toEqual(before);
  }, 120_000);

  it("returns 503 for a contract's signature while the chain is unavailable", async () => {
    const hash = keccak256(stringToBytes("another intent of the policy account"));
    const body = { intent_hash: hash, owner: stack.contracts.PolicyAccount, execution_target: TARGET };
    const headers = await signed(hash, TARGET);
    await stack.chain.child.stop();
    const answer = await send("POST", "/intents/metadata", body, headers);
    expect(answer).toEqual({
      status: 503,
      body: { error: expect.stringContaining("The chain is unavailable"), code: "unavailable" },
    });
    expect((await get(`/intents/metadata/${hash}`)).status).toBe(404);
    // Other signatures don't need the chain.
    expect((await send("POST", "/intents/metadata", { ...body, owner: owner.address }, headers)).status).toBe(201);
  }, 60_000);
});
