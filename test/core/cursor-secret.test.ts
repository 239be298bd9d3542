import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ComposedGateway, composeGateway } from "../../api/compose";
import { readCursor, writeCursor } from "../../api/core/cursor";
import { openStore } from "../../api/offchain/open";
import { readSecret } from "../../api/offchain/secrets";
import { parseEnvironment } from "../../config/environment";
import { createTestDatabase, type TestDatabase } from "../support/database";

/** The cursor of the attestation schemas after their first page, which needs neither the index nor the chain. */
const LIST = "GET /attestations/schemas {}";
type Page = { pagination: { next_cursor: string } };

describe("the secret of cursors", () => {
  const databases: TestDatabase[] = [];
  const gateways = new Set<ComposedGateway>();
  let database: TestDatabase;
  beforeAll(async () => {
    database = await newDatabase();
  });
  afterAll(async () => {
    for (const gateway of gateways) await close(gateway);
    for (const { drop } of databases) await drop();
  });

  async function newDatabase(): Promise<TestDatabase> {
    const created = await createTestDatabase("cursors");
    databases.push(created);
    return created;
  }
  async function openGateway(DATABASE_URL: string) {
    const PUBLIC_BASE_URL = "https://api.example";
    const chain = { NETWORK: "base-sepolia", RPC_URL: "http://127.0.0.1:1", PUBLIC_BASE_URL };
    const environment = parseEnvironment({ ...chain, DATABASE_URL });
    const gateway = await composeGateway(environment, pino({ level: "silent" }));
    gateways.add(gateway);
    return gateway;
  }
  async function close(gateway: ComposedGateway): Promise<void> {
    gateways.delete(gateway);
    await gateway.close();
  }
  const firstCursor = async ({ app }: ComposedGateway) =>
    ((await (await app.request("/attestations/schemas?limit=1")).json()) as Page).pagination.next_cursor;
  const statusFor = async ({ app }: ComposedGateway, cursor: string) =>
    (await app.request(`/attestations/schemas?limit=1&cursor=${cursor}`)).status;

  it("is not derived from DATABASE_URL: a guess of the password can't be tested on a cursor", async () => {
    const gateway = await openGateway(database.url);
    const cursor = await firstCursor(gateway);
    const guess = `cursors of ${database.url}`;
    expect(readCursor(guess, LIST, cursor)).toBeNull();
    expect(await statusFor(gateway, writeCursor(guess, LIST, ["x"]))).toBe(400);
    expect(await statusFor(gateway, cursor)).toBe(200);
  });

  it("is shared by all gateways on one database, whatever their URL, and kept across restarts", async () => {
    const [one, other] = [await openGateway(database.url), await openGateway(`${database.url}?application_name=other`)];
    const cursor = await firstCursor(one);
    expect(await firstCursor(other)).toBe(cursor);
    await close(one);
    expect(await statusFor(await openGateway(database.url), cursor)).toBe(200);
  });

  it("is created once by processes that open a new database at the same time", async () => {
    const { url } = await newDatabase();
    const stores = await Promise.all(
      Array.from({ length: 8 }, () => openStore({ databaseUrl: url, maxConnections: 2, onIdleError: () => {} })),
    );
    const secrets = await Promise.all(stores.map(({ db }) => readSecret(db, "cursor")));
    for (const store of stores) await store.close();
    expect(new Set(secrets).size).toBe(1);
    expect(secrets[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it("differs between databases", async () => {
    const { url } = await newDatabase();
    const cursor = await firstCursor(await openGateway(database.url));
    expect(await statusFor(await openGateway(url), cursor)).toBe(400);
  });
});
