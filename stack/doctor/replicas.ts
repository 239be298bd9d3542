import type pg from "pg";
import { CheckFailure, check, type Finding, failed, ok, type Result, warning } from "./check";
import { connectDatabase, databaseHost } from "./database";
import { describeError } from "./describe-error";

/** The identity of a server and how far it has come in the write-ahead log. */
type Server = {
  inRecovery: boolean;
  /** When it was started, as text. */
  startedAt: string;
  /** Null if the role may not read it. */
  systemIdentifier: string | null;
  /** The newest position that a query sees. */
  position: string | null;
  /** Seconds since the commit time of the last replayed transaction. Null on a primary. */
  replayedSecondsAgo: number | null;
};

async function withServer<Value>(url: string, act: (client: pg.Client) => Promise<Value>): Promise<Value> {
  const client = await connectDatabase(url).catch((error: unknown) => {
    throw new CheckFailure(
      `Can't connect to ${databaseHost(url)} (${describeError(error)}).`,
      "Check DATABASE_READ_URLS, and that the server accepts connections from this machine.",
    );
  });
  try {
    return await act(client);
  } finally {
    void client.end().catch(() => {});
  }
}

async function readServer(client: pg.Client): Promise<Server> {
  const { rows } = await client.query<Server>(
    `SELECT pg_is_in_recovery() AS "inRecovery", pg_postmaster_start_time()::text AS "startedAt",
       (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END)::text AS position,
       extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 AS "replayedSecondsAgo"`,
  );
  const [server] = rows;
  if (!server) throw new Error("The replica returned nothing");
  const identifier = await client
    .query<{ id: string }>("SELECT system_identifier::text AS id FROM pg_control_system()")
    .then((found) => found.rows[0]?.id ?? null)
    // Some hosted servers don't permit it.
    .catch(() => null);
  return { ...server, systemIdentifier: identifier };
}

/**
 * The position of a write-ahead log as a number.
 *
 * @example
 * positionOf("1/2000060") // 4328521824n
 */
export function positionOf(lsn: string): bigint {
  const [high = "0", low = "0"] = lsn.split("/");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/**
 * The lag of a replica in seconds. The time of its last transaction says nothing once it has replayed everything. Undefined if
 * it has replayed no transaction since its start.
 */
export function lagSeconds(replica: Server, primary: Pick<Server, "position">): number | undefined {
  const { position, replayedSecondsAgo } = replica;
  const isLevel =
    position !== null && primary.position !== null && positionOf(position) >= positionOf(primary.position);
  if (isLevel) return 0;
  return replayedSecondsAgo === null ? undefined : Math.max(0, replayedSecondsAgo);
}

async function checkReplica(url: string, primaryUrl: string, maxLagSeconds: number): Promise<Finding> {
  const host = databaseHost(url);
  // The primary first: a position that was read later could be one that the replica can't have yet.
  const primary = await withServer(primaryUrl, readServer);
  const replica = await withServer(url, readServer);
  const { systemIdentifier } = replica;
  if (systemIdentifier !== null && primary.systemIdentifier !== null && systemIdentifier !== primary.systemIdentifier)
    return failed(`${host} is not a replica of the database of DATABASE_URL.`, "Correct DATABASE_READ_URLS.");
  if (!replica.inRecovery && replica.startedAt === primary.startedAt)
    return warning(`${host} is the server of DATABASE_URL itself.`, "Remove it from DATABASE_READ_URLS.");
  if (!replica.inRecovery) return failed(`${host} is a primary server, not a replica.`, "Correct DATABASE_READ_URLS.");
  const lag = lagSeconds(replica, primary);
  if (lag === undefined)
    return warning(`${host} has received nothing from the primary since its start.`, "Check the replication.");
  const text = `${host} is ${lag.toFixed(1)} s behind the primary.`;
  return lag > maxLagSeconds
    ? warning(text, `Check the replication. A replica that is more than ${maxLagSeconds} s behind is not read.`)
    : ok(text);
}

/** Checks each read replica. */
export const checkReplicas = (urls: readonly string[], primaryUrl: string, maxLagSeconds: number): Promise<Result[]> =>
  Promise.all(
    urls.map((url, index) =>
      check(urls.length === 1 ? "replica" : `replica ${index + 1}`, () => checkReplica(url, primaryUrl, maxLagSeconds)),
    ),
  );
