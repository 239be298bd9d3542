import { and, asc, eq, lte, sql } from "drizzle-orm";
import type { StoreDatabase } from "./open";
import { metadataLease, type metadataSubjects, resolvedMetadata } from "./tables";

export type MetadataSubject = (typeof metadataSubjects)[number];

/** A record of the index with a metadata URI. */
export type MetadataRecord = {
  subject: MetadataSubject;
  subjectId: bigint;
  uri: string;
  /** The hash on chain; null if it has none. */
  hash: string | null;
  label: string | null;
};

/** A position in the event log: the last event that was read. */
export type LogPosition = { eventId: string; blockHash: string };

const LEASE_SECONDS = 15;

const leaseEnd = sql`clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})`;

/** Takes or renews the lease on a chain's metadata. Returns the stored position, or undefined if another process has it. */
export async function holdLease(db: StoreDatabase, chainId: number, holder: string): Promise<LogPosition | undefined> {
  const [row] = await db
    .insert(metadataLease)
    .values({ chainId, holder, leaseUntil: leaseEnd })
    .onConflictDoUpdate({
      target: metadataLease.chainId,
      set: { holder, leaseUntil: leaseEnd },
      setWhere: sql`${metadataLease.holder} = ${holder} OR ${metadataLease.leaseUntil} < clock_timestamp()`,
    })
    .returning({ eventId: metadataLease.eventId, blockHash: metadataLease.blockHash });
  return row;
}

const isHeldBy = (chainId: number, holder: string) =>
  and(eq(metadataLease.chainId, chainId), eq(metadataLease.holder, holder));

export async function savePosition(
  db: StoreDatabase,
  chainId: number,
  holder: string,
  position: LogPosition,
): Promise<void> {
  await db.update(metadataLease).set(position).where(isHeldBy(chainId, holder));
}

/** Ends the lease, so that another process can take over at once. */
export async function releaseLease(db: StoreDatabase, chainId: number, holder: string): Promise<void> {
  await db.update(metadataLease).set({ leaseUntil: sql`clock_timestamp()` }).where(isHeldBy(chainId, holder));
}

const unresolved = {
  state: "pending",
  reason: null,
  contentHash: null,
  content: null,
  name: null,
  description: null,
  tags: [],
  capabilities: [],
  attempts: 0,
  resolvedAt: null,
} as const;

/** How a record is resolved. */
export type Plan = { isRemote: boolean; documentHash: string | null };

/** Stores records as pending. A record whose URI and hash are known already is not changed. */
export async function savePending(
  db: StoreDatabase,
  chainId: number,
  records: readonly (MetadataRecord & Plan)[],
): Promise<void> {
  if (records.length === 0) return;
  await db
    .insert(resolvedMetadata)
    .values(records.map((record) => ({ chainId, ...record })))
    .onConflictDoUpdate({
      target: [resolvedMetadata.chainId, resolvedMetadata.subject, resolvedMetadata.subjectId],
      set: {
        ...unresolved,
        tags: sql`'{}'`,
        capabilities: sql`'{}'`,
        uri: sql`excluded.uri`,
        hash: sql`excluded.hash`,
        label: sql`excluded.label`,
        isRemote: sql`excluded.is_remote`,
        documentHash: sql`excluded.document_hash`,
        nextAttemptAt: sql`clock_timestamp()`,
      },
      setWhere: sql`(${resolvedMetadata.uri}, ${resolvedMetadata.hash}, ${resolvedMetadata.label})
        IS DISTINCT FROM (excluded.uri, excluded.hash, excluded.label)`,
    });
}

/** A row to fetch, and how often that has failed. */
export type DueRecord = MetadataRecord & { attempts: number };

/** The records to fetch now, those that wait longest first. */
export const dueRecords = (
  db: StoreDatabase,
  chainId: number,
  isRemote: boolean,
  limit: number,
): Promise<DueRecord[]> =>
  db
    .select({
      subject: resolvedMetadata.subject,
      subjectId: resolvedMetadata.subjectId,
      uri: resolvedMetadata.uri,
      hash: resolvedMetadata.hash,
      label: resolvedMetadata.label,
      attempts: resolvedMetadata.attempts,
    })
    .from(resolvedMetadata)
    .where(
      and(
        eq(resolvedMetadata.chainId, chainId),
        eq(resolvedMetadata.isRemote, isRemote),
        lte(resolvedMetadata.nextAttemptAt, sql`clock_timestamp()`),
      ),
    )
    .orderBy(asc(resolvedMetadata.nextAttemptAt))
    .limit(limit);

export type Outcome = Pick<
  typeof resolvedMetadata.$inferInsert,
  "state" | "reason" | "contentHash" | "content" | "name" | "description" | "tags" | "capabilities"
> & {
  attempts: number;
  /** Null for no further attempt. */
  retryMs: number | null;
};

/** Selects a record's row while it is for the same URI and hash. */
const isFor = (chainId: number, { subject, subjectId, uri, hash }: MetadataRecord) =>
  and(
    eq(resolvedMetadata.chainId, chainId),
    eq(resolvedMetadata.subject, subject),
    eq(resolvedMetadata.subjectId, subjectId),
    eq(resolvedMetadata.uri, uri),
    sql`${resolvedMetadata.hash} IS NOT DISTINCT FROM ${hash}`,
  );

const after = (ms: number) => sql`clock_timestamp() + make_interval(secs => ${ms / 1_000}::float8)`;

/** Stores the outcome of an attempt, unless the chain has changed the URI or the hash meanwhile. */
export async function saveOutcome(
  db: StoreDatabase,
  chainId: number,
  record: MetadataRecord,
  { retryMs, ...outcome }: Outcome,
): Promise<void> {
  await db
    .update(resolvedMetadata)
    .set({
      ...outcome,
      nextAttemptAt: retryMs === null ? null : after(retryMs),
      resolvedAt: sql`clock_timestamp()`,
    })
    .where(isFor(chainId, record));
}

/** Makes a record due later, without an attempt. */
export async function postpone(db: StoreDatabase, chainId: number, record: MetadataRecord, ms: number): Promise<void> {
  await db
    .update(resolvedMetadata)
    .set({ nextAttemptAt: after(ms) })
    .where(isFor(chainId, record));
}
