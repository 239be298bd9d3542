import { sql } from "drizzle-orm";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { createGateway } from "../../api/gateway";
import { connectStore, openStore, type Store } from "../../api/offchain/open";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";
import { query } from "../../stack/local/postgres/cluster";
import { createTestDatabase, type TestDatabase } from "../support/database";
import { withoutIndex } from "../support/without-index";
import { type Gateway, post } from "./gateway-on-store";

const messages = {
  unavailable: "The database does not answer; try again shortly",
  readOnly: "The database is read-only, so nothing was written; try again shortly",
  busy: "The database is busy, so nothing was written; try again shortly",
  slow: "The database took too long; try again shortly",
};

describe("an error of PostgreSQL", () => {
  let database: TestDatabase;
  let name: string;
  const stores: Store[] = [];

  beforeAll(async () => {
    database = await createTestDatabase("errors");
    name = new URL(database.url).pathname.slice(1);
    await (await openStore({ databaseUrl: database.url, onIdleError: () => {} })).close();
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close().catch(() => {})));
    await database?.drop();
  });

  const cursorSecret = async () => "a secret for tests";
  const config = { ...parseEnvironment({ NODE_ENV: "test" }), ...baseSepolia, cursorSecret, listed: new Map() };

  /** A gateway with its own connections to the store. */
  function open(url = database.url): { gateway: Gateway; store: Store } {
    const store = connectStore({ databaseUrl: url, onIdleError: () => {} });
    stores.push(store);
    const context = { ...withoutIndex, store: async () => store.db, config };
    return { gateway: createGateway(context, pino({ level: "silent" })), store };
  }

  let documents = 0;
  const publish = (gateway: Gateway) => post(gateway, "/catalogs", { catalog_json: `[${++documents}]` });

  /** Expects a write to fail with 503, Retry-After and a message, on every transport. */
  async function expectUnavailable(gateway: Gateway, message: string) {
    const rest = await publish(gateway);
    expect([rest.status, rest.headers.get("retry-after"), await rest.json()]).toEqual([
      503,
      "5",
      { error: message, code: "unavailable" },
    ]);
    const trpc = await post(gateway, "/trpc/documents.publishCatalog", { catalog_json: `[${++documents}]` });
    expect([trpc.status, trpc.headers.get("retry-after"), await trpc.json()]).toMatchObject([
      503,
      "5",
      { error: { message, data: { code: "SERVICE_UNAVAILABLE", errorCode: "unavailable", retryAfter: 5 } } },
    ]);
  }

  /** Runs statements with a connection that stays open until `use` is done. */
  async function whileOpen(statements: string[], use: () => Promise<void>) {
    const { store } = open();
    await store.db.transaction(async (transaction) => {
      for (const statement of statements) await transaction.execute(sql.raw(statement));
      await use();
    });
  }

  /** Changes a setting of the database for connections that are opened meanwhile. */
  async function withSetting(setting: string, value: string, use: () => Promise<void>) {
    await query(inject("databaseServer"), `ALTER DATABASE "${name}" SET ${setting} = ${value}`);
    try {
      await use();
    } finally {
      await query(inject("databaseServer"), `ALTER DATABASE "${name}" RESET ${setting}`);
    }
  }

  it("is a 503 for a lock that another transaction holds (55P03)", async () => {
    const { gateway } = open();
    await whileOpen(["LOCK TABLE offchain.document IN ACCESS EXCLUSIVE MODE"], () =>
      expectUnavailable(gateway, messages.busy),
    );
    expect((await publish(gateway)).status).toBe(201);
  });

  it("is a 503 for a database that is read-only after a failover (25006)", async () => {
    await withSetting("default_transaction_read_only", "on", async () => {
      const { gateway } = open();
      await expectUnavailable(gateway, messages.readOnly);
      const burst = await Promise.all(Array.from({ length: 60 }, () => publish(gateway)));
      expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([503]));
    });
  });

  /** Makes writes wait for a lock, and cancels or closes them. */
  async function interrupt(how: "pg_cancel_backend" | "pg_terminate_backend", message: string) {
    const { gateway } = open();
    await whileOpen(["LOCK TABLE offchain.document IN ACCESS EXCLUSIVE MODE"], async () => {
      const { store: other } = open();
      const failing = expectUnavailable(gateway, message);
      const waiting = sql.raw(
        `SELECT ${how}(pid) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      let isDone = false;
      const done = failing.finally(() => {
        isDone = true;
      });
      while (!isDone) await other.db.execute(waiting);
      await done;
    });
    expect((await publish(gateway)).status).toBe(201);
  }

  it("is a 503 for a canceled statement, as after a timeout (57014)", () =>
    interrupt("pg_cancel_backend", messages.slow));

  it("is a 503 for a connection that the administrator closes (57P01)", () =>
    interrupt("pg_terminate_backend", messages.unavailable));

  it("is a 503 if the server has too many connections (53300)", async () => {
    const server = inject("databaseServer");
    const role = `limited_${name}`;
    await query(server, `CREATE ROLE "${role}" LOGIN PASSWORD 'limited' CONNECTION LIMIT 0`);
    try {
      const url = new URL(database.url);
      url.username = role;
      url.password = "limited";
      await expectUnavailable(open(url.href).gateway, messages.unavailable);
    } finally {
      await query(server, `DROP ROLE "${role}"`);
    }
  });

  it("is a 503 while the process stops and its connections are closed", async () => {
    const { gateway, store } = open();
    expect((await publish(gateway)).status).toBe(201);
    await store.close();
    await expectUnavailable(gateway, messages.unavailable);
  });

  it("has limits on locks and statements also on the connection that migrated the store", async () => {
    const migrated = await openStore({ databaseUrl: database.url, maxConnections: 1, onIdleError: () => {} });
    stores.push(migrated);
    expect(await migrated.db.execute(sql`SHOW lock_timeout`)).toMatchObject({ rows: [{ lock_timeout: "5s" }] });
    expect(await migrated.db.execute(sql`SHOW statement_timeout`)).toMatchObject({
      rows: [{ statement_timeout: "15s" }],
    });
  });
});
