import { mkdtemp, open, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { withClient } from "../../stack/index-builds";
import { payingFetch } from "../../stack/local/paying-fetch";
import { demoPayer } from "../../stack/local/sample/people";
import { publishExamples } from "../../stack/local/sample/published";
import { blockWith, runBlock } from "../cluster/guide";
import { indexOf } from "../support/index-of";
import { onDatabase, postgresPrograms } from "../support/postgres-programs";
import { type Postgres, startPostgres } from "../support/postgres-server";
import { compareServers } from "../support/same-answers/compare";
import { eventually } from "../support/simulation/service";
import { type Stack, startStack } from "../support/stack";

const HEADING = "Back up and restore";
const [backUp, restoreStore, restoreAll] = ["pg_dump", "psql", "database.dump\n"].map((text) =>
  blockWith(HEADING, text),
);

/** The tables of the store whose rows nothing changes while the stack is idle. */
const TABLES = [
  ...["attestation_schema", "bid", "chain", "document", "intent_metadata", "payment", "resolved_metadata"],
  ...["secret", "stored_bytes"],
];

/** Runs statements on a new connection, and returns the rows of the last one. */
const run = (url: string, ...statements: string[]) =>
  withClient(url, async (client) => {
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  });

/** The rows of these tables, as text. */
async function contentOf(url: string): Promise<Record<string, unknown[]>> {
  const content: Record<string, unknown[]> = {};
  for (const table of TABLES) {
    const rows = await run(url, `SELECT stored::text FROM offchain.${table} AS stored ORDER BY 1`);
    content[table] = rows.map(({ stored }) => stored);
  }
  return content;
}

const sendTo = async (apiUrl: string, path: string, body: object) => {
  const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`${apiUrl}${path}`, init);
  expect(response.ok, await response.clone().text()).toBe(true);
  return (await response.json()) as { bid_id: string };
};
const BIDS = "/intents/6/bids";
const bid = { solver: demoPayer.address, amount_in: "1", amount_out: "2", fee: "0", valid_until: "4000000000" };

describe.skipIf(!postgresPrograms)("a dump of a running stack", () => {
  const stops: (() => unknown)[] = [];
  let folder: string;
  let postgres: Postgres;
  let stack: Stack;
  let url: string;
  let lastBid: string;
  /** What the dumps contain. */
  let content: Awaited<ReturnType<typeof contentOf>>;
  /** Runs commands of the guide on a database, in the folder of the dumps. */
  const onCopy = (database: string, block = "") => runBlock(onDatabase(database) + block, { cwd: folder });
  const compare = (apiUrl: string) =>
    compareServers(stack.apiUrl, apiUrl, {
      more: [
        { method: "GET", path: BIDS },
        { method: "GET", path: `${BIDS}?status=selected` },
        { method: "GET", path: "/search?q=weather" },
        { method: "GET", path: "/services/3?include=metadata" },
      ],
    });
  /** An indexer and a gateway on a restored database. */
  const startOn = async (database: string) => {
    const index = await indexOf(stack.chain, stack.contracts, { DATABASE_URL: database }, {}, stack.tokens);
    stops.push(index.removeIndex);
    await index.startIndexer();
    return index;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "intentry-backup-"));
    postgres = await startPostgres(postgresPrograms);
    stops.push(postgres.stop);
    stack = await startStack({ sample: true, tokens: true, databaseServer: postgres.url });
    stops.push(stack.stop);
    url = stack.databaseUrl;
    const { apiUrl } = stack;
    await publishExamples(apiUrl, undefined);
    const isVerified = async () =>
      (await (await fetch(`${apiUrl}/services/3?include=metadata`)).text()).includes("verified");
    await eventually("verified metadata", isVerified);
    await sendTo(apiUrl, BIDS, bid);
    ({ bid_id: lastBid } = await sendTo(apiUrl, BIDS, { ...bid, amount_out: "3" }));
    const portfolio = `${apiUrl}/portfolio?address=${demoPayer.address}&chains=local`;
    const paid = await payingFetch(demoPayer, stack.contracts.TestDollar)(portfolio);
    expect(paid.status).toBe(200);
    // The gateway reads the block of the settlement later.
    const isLocated = async () =>
      (await run(url, "SELECT FROM offchain.payment WHERE block_number IS NOT NULL")).length === 1;
    await eventually("the block of the settlement", isLocated);
    await onCopy(url, backUp);
    content = await contentOf(url);
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("can be read by its owner only", async () => {
    for (const name of ["store.dump", "database.dump"])
      expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  it("of the store, restored into an empty database, gives the same answer on every route", async () => {
    const restored = await postgres.createDatabase("restored");
    await onCopy(restored, restoreStore);
    expect(await contentOf(restored)).toEqual(content);
    const index = await startOn(restored);
    const { differences, compared } = await compare(index.apiUrl);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(500);
    // The numbers of bids continue.
    const { bid_id: following } = await sendTo(index.apiUrl, BIDS, bid);
    expect(following).not.toBe(lastBid);
    expect(await run(restored, "SELECT max(number)::int AS last FROM offchain.bid")).toEqual([{ last: 3 }]);
  });

  it("of the whole database also continues the index", async () => {
    const restored = await postgres.createDatabase("restored_all");
    await onCopy(restored, restoreAll);
    expect(await contentOf(restored)).toEqual(content);
    const index = await startOn(restored);
    expect(index.log()).toContain("Detected crash recovery");
    const { differences, compared } = await compare(index.apiUrl);
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(500);
  });

  it("replaces a store with other rows and tables", async () => {
    const restored = await postgres.createDatabase("replaced");
    await onCopy(restored, restoreStore);
    const before = await contentOf(restored);
    await run(
      restored,
      "INSERT INTO offchain.stored_bytes VALUES ('later', '2026-01-01', 1)",
      "DELETE FROM offchain.bid",
      "CREATE TABLE offchain.of_a_later_version AS SELECT 1",
    );
    await onCopy(restored, restoreStore);
    expect(await contentOf(restored)).toEqual(before);
    expect(await run(restored, "SELECT FROM pg_tables WHERE tablename = 'of_a_later_version'")).toEqual([]);
  });

  it("changes nothing if the file is damaged or truncated", async () => {
    const restored = await postgres.createDatabase("kept");
    await onCopy(restored, restoreStore);
    await run(restored, "INSERT INTO offchain.stored_bytes VALUES ('later', '2026-01-01', 1)");
    const before = await contentOf(restored);
    const file = join(folder, "store.dump");
    const { size } = await stat(file);
    const restoreOf = (copy: string) =>
      onCopy(restored, `cp store.dump whole.dump; cp ${copy} store.dump\n${restoreStore}`).finally(() =>
        onCopy(restored, "mv whole.dump store.dump"),
      );
    await onCopy(restored, "cp store.dump short.dump; cp store.dump changed.dump");
    await truncate(join(folder, "short.dump"), size - 1_000);
    const changed = await open(join(folder, "changed.dump"), "r+");
    await changed.write(Buffer.alloc(64, 0xff), 0, 64, Math.floor(size * 0.6));
    await changed.close();
    for (const copy of ["short.dump", "changed.dump"]) {
      // pg_restore of PostgreSQL 15 can crash on changed bytes.
      await expect(restoreOf(copy), copy).rejects.toThrow(/pg_restore: error|ERROR: |Segmentation fault/);
      expect(await contentOf(restored)).toEqual(before);
    }
  });
});
