import { type Hex, keccak256, stringToBytes } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fund, ownAccount } from "../../support/own-accounts";
import { type WrittenStack, writesStack } from "../../support/shared-stack";
import { away, gatewaysOn, nodeWithout } from "./in-process";
import { perform, prepare } from "./perform";

const account = ownAccount("publisher of actions");
const from = account.address;

const hashOf = (value: object) => keccak256(stringToBytes(JSON.stringify(value)));

describe("the documents of an action", () => {
  let stack: WrittenStack;
  let gateways: Awaited<ReturnType<typeof gatewaysOn>>;
  let merchant: string;

  beforeAll(async () => {
    stack = await writesStack();
    gateways = await gatewaysOn(stack);
    await fund(stack.client, account);
    const { prepared } = await perform(stack, account, "registerMerchant", { metadata_uri: "ipfs://publisher" });
    const [event] = prepared.simulation?.results[0]?.events ?? [];
    merchant = String(event?.args.merchantId);
  }, 180_000);
  afterAll(async () => {
    await gateways?.close();
    await stack?.release();
  });

  const statusOf = async (hash: Hex) => (await fetch(`${stack.apiUrl}/catalogs/${hash}`)).status;

  it.each([
    ["registerSolver", { bond: "1 tUSD" }, 400, "bond: must be in"],
    ["registerAgent", { capabilities: "trade", capabilities_hash: hashOf({}) }, 400, "capabilities_hash: can't be"],
    [
      "registerService",
      { merchant_id: "1", service_id: "x", capability: "a", capability_hash: hashOf({}) },
      400,
      "cap",
    ],
    ["updateSolver", { solver_id: "999999" }, 404, "999999 not found"],
  ])("are not published if %s %o is refused", async (name, input, status, error) => {
    const metadata = { name: `Never published by ${name}` };
    const refused = await prepare(stack.apiUrl, name, { from, metadata, ...input });
    expect(refused.status, JSON.stringify(refused.body)).toBe(status);
    expect(refused.body.error).toContain(error);
    expect(await statusOf(hashOf(metadata))).toBe(404);
  });

  it("are not published if the deployment lacks the contract", async () => {
    const metadata = { name: "Never published without a contract" };
    const contracts = { IntentBook: stack.contracts.IntentBook } as never;
    const refused = await gateways.preparing(away, { contracts })("registerAgent", { from, metadata });
    expect(refused).toMatchObject({ status: 404, body: { error: "This deployment has no AgentRegistry" } });
    expect(await statusOf(hashOf(metadata))).toBe(404);
  });

  it("are not published if the client has no simulations left", async () => {
    const { simulate } = nodeWithout(stack.client, []);
    const prepareWith = gateways.preparing(simulate);
    let refused: { status: number } = { status: 200 };
    let metadata = {};
    // The limit may begin again once, at the turn of a minute.
    for (let count = 0; count < 260 && refused.status === 200; count++) {
      metadata = { name: `Maybe published ${count}` };
      refused = await prepareWith("registerAgent", count < 115 ? { from, metadata_uri: "x" } : { from, metadata });
    }
    expect(refused).toMatchObject({ status: 429, body: { error: expect.stringContaining("prepared actions") } });
    expect(await statusOf(hashOf(metadata))).toBe(404);
  });

  it("need a write token if the service requires one, and nothing else of an action does", async () => {
    const prepareWith = gateways.preparing(away, { writeTokens: ["a secret token for tests"] });
    const metadata = { name: "Never published without a token" };
    const refused = await prepareWith("registerAgent", { from, metadata });
    expect(refused).toMatchObject({ status: 401, body: { error: expect.stringContaining("write token") } });
    expect(await statusOf(hashOf(metadata))).toBe(404);
    expect((await prepareWith("registerAgent", { from, metadata_uri: "ipfs://x" })).status).toBe(200);
  });

  it("are limited in size, in number and in bytes a day", async () => {
    const long = { name: "x".repeat(200_000) };
    const tooLong = await prepare(stack.apiUrl, "registerAgent", { from, metadata: long });
    expect(tooLong).toMatchObject({ status: 413, body: { error: expect.stringContaining("131072 bytes") } });
    expect(await statusOf(hashOf(long))).toBe(404);
    for (const limit of [{ writesPerMinute: 0 }, { storedBytesPerDay: 10 }]) {
      const metadata = { name: `Never published above ${JSON.stringify(limit)}` };
      const refused = await gateways.preparing(away, limit)("registerAgent", { from, metadata });
      expect(refused.status, JSON.stringify(refused.body)).toBe(429);
      expect(await statusOf(hashOf(metadata))).toBe(404);
    }
  });

  it("are published also if the simulation reverts, or without a node", async () => {
    const metadata = { name: "Published by an account that is not the owner" };
    const { body } = await prepare(stack.apiUrl, "updateMerchant", { from, merchant_id: "1", metadata });
    expect(body.simulation).toMatchObject({ ok: false, results: [{ revert: { error: "Unauthorized" } }] });
    const hash = hashOf(metadata);
    expect(body.summary).toContain(
      `its metadata is at "${stack.apiUrl}/catalogs/${hash}", with the metadata hash ${hash}`,
    );
    expect(await statusOf(hash)).toBe(200);
    const offline = { name: "Published without a node" };
    expect((await gateways.preparing(away)("registerAgent", { from, metadata: offline })).status).toBe(200);
    expect(await statusOf(hashOf(offline))).toBe(200);
  });

  it("keep their hash if a record keeps its URI, and only then", async () => {
    const metadata = { name: "Publisher" };
    const hash = hashOf(metadata);
    await perform(stack, account, "updateMerchant", { merchant_id: merchant, metadata });
    const update = async (input: object) => {
      const { body } = await prepare(stack.apiUrl, "updateMerchant", { from, merchant_id: merchant, ...input });
      return body.summary;
    };
    const metadata_uri = `${stack.apiUrl}/catalogs/${hash}`;
    expect(await update({ active: false })).toContain(
      `at "${metadata_uri}", with the metadata hash ${hash}, and it becomes`,
    );
    expect(await update({ metadata_uri })).toContain(
      `at "${metadata_uri}", with the metadata hash ${hash}, and it stays`,
    );
    expect(await update({ metadata_uri: "ipfs://other" })).toContain('at "ipfs://other", with no metadata hash');
    const metadata_hash = hashOf({});
    expect(await update({ metadata_hash })).toContain(`at "${metadata_uri}", with the metadata hash ${metadata_hash}`);
  });
});
