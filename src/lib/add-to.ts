import type { Context } from "ponder:registry";
import type {
  activity,
  fillLatency,
  openSelection,
  participantHour,
  participantTotal,
  solverActivity,
  total,
} from "ponder:schema";

type TotalsTable =
  | typeof activity
  | typeof fillLatency
  | typeof openSelection
  | typeof participantHour
  | typeof participantTotal
  | typeof solverActivity
  | typeof total;

/** The amounts to add, by column name. */
type Change<Table extends TotalsTable, Key> = Omit<Partial<Table["$inferInsert"]>, keyof Key>;

/**
 * Adds amounts, which may be negative, to the columns of one totals row or of each of several. New rows start at zero.
 *
 * @example
 * await addTo(context.db, total, { subject: "merchants", key: "" }, { count: 1 });
 */
export async function addTo<Table extends TotalsTable, const Key extends Partial<Table["$inferInsert"]>>(
  db: Context["db"],
  table: Table,
  keys: Key | readonly Key[],
  change: Change<Table, Key>,
): Promise<void> {
  // The casts are safe: the signature checks the column names and types against the table.
  const added = Object.entries(change as Record<string, number | bigint>);
  if (added.every(([, by]) => by === 0 || by === 0n)) return;
  const values = Array.isArray(keys) ? keys.map((key: Key) => ({ ...key, ...change })) : { ...keys, ...change };
  await db
    .insert(table as typeof total)
    .values(values as never)
    .onConflictDoUpdate((row: Record<string, unknown>) => {
      const next: Record<string, number | bigint> = {};
      for (const [column, by] of added)
        next[column] = typeof by === "bigint" ? (row[column] as bigint) + by : (row[column] as number) + by;
      return next as never;
    });
}
