import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkReplicas } from "../../stack/doctor/replicas";
import { query } from "../../stack/local/postgres/cluster";
import { type Postgres, type Replica, startPostgres } from "../support/postgres-server";

describe("intentry doctor and a replica", () => {
  let postgres: Postgres;
  let replica: Replica;
  let url: string;
  let host: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    replica = await postgres.startReplica();
    url = replica.urlOf(postgres.url);
    host = new URL(url).host;
    await query(postgres.url, "CREATE TABLE written (at timestamptz)");
  });
  afterAll(() => postgres?.stop());

  const write = () => query(postgres.url, "INSERT INTO written VALUES (now())");
  const results = () => checkReplicas([url], postgres.url, 1);

  it("is ok while it follows the primary", async () => {
    await write();
    const isLevel = async () => (await results())[0]?.status;
    await expect.poll(isLevel).toBe("ok");
  });

  it("is a warning that names the accepted lag while it is behind", async () => {
    await query(url, "SELECT pg_wal_replay_pause()");
    await write();
    const advice = "Check the replication. A replica that is more than 1 s behind is not read.";
    const message = expect.stringMatching(/ is \d+\.\d s behind the primary\.$/);
    await expect.poll(results).toEqual([{ name: "replica", status: "warning", message, advice }]);
    await query(url, "SELECT pg_wal_replay_resume()");
  });

  it("is a warning while it has received nothing since its start", async () => {
    await expect.poll(async () => (await results())[0]?.status).toBe("ok");
    await query(postgres.url, "CHECKPOINT");
    await query(url, "ALTER SYSTEM SET primary_conninfo = ''");
    await query(url, "CHECKPOINT");
    await replica.halt();
    await replica.resume();
    await write();
    const message = `${host} has received nothing from the primary since its start.`;
    expect(await results()).toEqual([
      { name: "replica", status: "warning", message, advice: "Check the replication." },
    ]);
  });
});
