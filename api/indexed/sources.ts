import pg from "pg";
import { steadyTime } from "../../config/steady-time";
import type { PoolMode } from "../../config/variables/database";
import { replicaInUse, replicaLagSeconds, replicaUsable } from "../telemetry/metrics";

/** A database server from which the index is read: the primary, or a streaming replica of it. */
export type Source = { name: string; url: string; isReplica: boolean };

/** The state of a server at its last check. */
type State = {
  /** Its newest write: the end of the write-ahead log that it has written or replayed. */
  position: bigint;
  /** How long ago its newest transaction was committed; null if unknown. */
  ageSeconds: number | null;
  /** Ponder's checkpoint of the served build; empty without one. Checkpoints compare as strings. */
  checkpoint: string;
  /** The store's revision. */
  storeRevision: bigint;
};

/** A position in the write-ahead log (`16/B374D848`) as a number. */
const positionOf = (lsn: string | null): bigint => {
  const [high = "0", low = "0"] = (lsn ?? "0/0").split("/");
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
};

const sourceOf = (url: string, isReplica: boolean): Source => {
  const { hostname, port } = new URL(url);
  return { name: `${hostname}:${port || "5432"}`, url, isReplica };
};

const CONNECT_MS = 2_000;
const CHECK_TIMEOUT_MS = 2_000;

/** How long a replica may take to receive a write before this process reads from another server, and how often to look. */
const STORE_WAIT_MS = 250;
const STORE_POLL_MS = 5;

/** How far behind a replica may be. */
export const MAX_REPLICA_LAG_SECONDS = 5;

type Checked = { source: Source; pool: pg.Pool; state: State | undefined; isLate: boolean };

type Options = {
  databaseUrl: string;
  poolMode: PoolMode;
  readUrls: readonly string[];
  /** A replica that is further behind is not read. Default: {@link MAX_REPLICA_LAG_SECONDS}. */
  maxLagSeconds?: number;
  /** Called when a server can't be checked, once until that succeeds again. */
  onFailure: (source: Source, error: unknown) => void;
};

/**
 * Chooses the server from which this process reads the index. It reads from one replica at a time, so that its responses are
 * of one state, and only changes to a server that has everything which this process has served. Without a usable replica it
 * reads from the primary.
 */
export class Sources {
  readonly #primary: Checked;
  readonly #replicas: Checked[];
  readonly #maxLagSeconds: number;
  readonly #onFailure: Options["onFailure"];
  readonly #failing = new Set<Checked>();
  /** What this process has served: another server must have at least this. */
  #checkpoint = "";
  #storeRevision = 0n;
  #current: Checked;

  constructor({ databaseUrl, poolMode, readUrls, maxLagSeconds = MAX_REPLICA_LAG_SECONDS, onFailure }: Options) {
    const checked = (source: Source): Checked => {
      const pool = new pg.Pool({
        connectionString: source.url,
        application_name: "intentry_gateway",
        max: 1,
        connectionTimeoutMillis: CONNECT_MS,
        // A parameter of the connection, which poolers reject.
        ...(poolMode === "session" && { statement_timeout: CHECK_TIMEOUT_MS }),
        query_timeout: CHECK_TIMEOUT_MS,
      });
      // The next check reports that the server does not answer.
      pool.on("error", () => {});
      return { source, pool, state: undefined, isLate: false };
    };
    this.#primary = checked(sourceOf(databaseUrl, false));
    // A random order, so that processes use different replicas.
    this.#replicas = readUrls
      .map((url) => ({ place: Math.random(), url }))
      .sort((one, other) => one.place - other.place)
      .map(({ url }) => checked(sourceOf(url, true)));
    this.#maxLagSeconds = maxLagSeconds;
    this.#onFailure = onFailure;
    this.#current = this.#primary;
  }

  get hasReplicas(): boolean {
    return this.#replicas.length > 0;
  }

  get current(): Source {
    return this.#current.source;
  }

  /** The newest checkpoint that was served, from any build. */
  get checkpoint(): string {
    return this.#checkpoint;
  }

  /** Whether a server has answered at its last check. */
  hasAnswered(source: Source): boolean {
    return !source.isReplica || this.#replicas.some((one) => one.source === source && one.state !== undefined);
  }

  /** Records the checkpoint of a head that was served. */
  served(checkpoint: string): void {
    if (checkpoint > this.#checkpoint) this.#checkpoint = checkpoint;
  }

  /** Checks all servers, and chooses one. */
  async check(build: string): Promise<Source> {
    if (!this.hasReplicas) return this.current;
    const before = this.#primary.state?.position;
    await Promise.all([this.#primary, ...this.#replicas].map((checked) => this.#checkOne(checked, build)));
    for (const replica of this.#replicas) {
      const lag = this.#lagOf(replica, before);
      replica.isLate = lag === undefined || lag > this.#maxLagSeconds;
      const labels = { replica: replica.source.name };
      if (lag === undefined) replicaLagSeconds.remove(labels);
      else replicaLagSeconds.set(labels, lag);
    }
    return this.#choose();
  }

  /** Stops reading from a replica until its next successful check. */
  leaveOut(source: Source): Source {
    const replica = this.#replicas.find((one) => one.source === source);
    if (replica) replica.isLate = true;
    return this.#choose();
  }

  /**
   * Makes sure that the current server has a revision of the store. A replica gets a moment to receive it; then this process
   * reads from another server.
   */
  async requireStore(revision: bigint, read: () => Promise<bigint>): Promise<Source> {
    if (revision > this.#storeRevision) this.#storeRevision = revision;
    const { source } = this.#current;
    if (!source.isReplica) return source;
    const deadline = steadyTime() + STORE_WAIT_MS;
    while (steadyTime() < deadline) {
      if ((await read()) >= revision) return this.current;
      await new Promise((resolve) => setTimeout(resolve, STORE_POLL_MS));
    }
    return this.leaveOut(source);
  }

  async close(): Promise<void> {
    await Promise.all([this.#primary, ...this.#replicas].map(({ pool }) => pool.end()));
  }

  async #checkOne(checked: Checked, build: string): Promise<void> {
    const schema = pg.escapeIdentifier(build);
    try {
      const { rows: found } = await checked.pool.query(
        "SELECT to_regclass($1) IS NOT NULL AS index, to_regclass('offchain.revision') IS NOT NULL AS store",
        [`${schema}._ponder_checkpoint`],
      );
      const { rows } = await checked.pool.query(
        `SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END::text AS position,
           CASE WHEN pg_is_in_recovery() THEN extract(epoch FROM now() - pg_last_xact_replay_timestamp()) ELSE 0 END::float8 AS age,
           ${found[0].index ? `(SELECT max(latest_checkpoint) FROM ${schema}._ponder_checkpoint)` : "NULL"} AS checkpoint,
           ${found[0].store ? "(SELECT number FROM offchain.revision)" : "0"}::text AS revision`,
      );
      const { position, age, checkpoint, revision } = rows[0];
      checked.state = {
        position: positionOf(position),
        ageSeconds: age,
        checkpoint: checkpoint ?? "",
        storeRevision: BigInt(revision ?? 0),
      };
      this.#failing.delete(checked);
    } catch (error) {
      // Whatever the reason, the other servers can be used.
      checked.state = undefined;
      if (!this.#failing.has(checked)) this.#onFailure(checked.source, error);
      this.#failing.add(checked);
    }
  }

  /**
   * How far a replica is behind: not at all if it has everything that the primary had at the check before, otherwise since its
   * newest transaction. Undefined if it does not answer, or has not replayed a transaction since its start. While the primary
   * does not answer, nothing is newer.
   */
  #lagOf({ state }: Checked, primaryBefore: bigint | undefined): number | undefined {
    if (!state) return undefined;
    const primary = this.#primary.state;
    if (!primary || state.position >= (primaryBefore ?? primary.position)) return 0;
    return state.ageSeconds ?? undefined;
  }

  #choose(): Source {
    const hasAll = ({ state }: Checked) =>
      state !== undefined && state.checkpoint >= this.#checkpoint && state.storeRevision >= this.#storeRevision;
    const isUsable = (replica: Checked) => !replica.isLate && replica.state !== undefined;
    const stays = this.#current.source.isReplica && isUsable(this.#current);
    if (!stays) this.#current = this.#replicas.find((one) => isUsable(one) && hasAll(one)) ?? this.#primary;
    for (const replica of this.#replicas) {
      const labels = { replica: replica.source.name };
      replicaInUse.set(labels, replica === this.#current ? 1 : 0);
      replicaUsable.set(labels, isUsable(replica) ? 1 : 0);
    }
    return this.#current.source;
  }
}
