import type { Context } from "ponder:registry";
import type {
  attesterActivity,
  commerceTotals,
  commerceVolume,
  merchantRecord,
  signalKind,
  solverActivity,
  subjectSignals,
} from "ponder:schema";

type TotalsTable =
  | typeof attesterActivity
  | typeof commerceTotals
  | typeof commerceVolume
  | typeof merchantRecord
  | typeof signalKind
  | typeof solverActivity
  | typeof subjectSignals;

/** The columns of a totals table that are summed up, by name. */
type Totals<Table extends TotalsTable, Key> = Omit<Partial<Table["$inferInsert"]>, keyof Key>;

/**
 * Adds numbers (also negative ones) to the columns of a totals row, or of several rows alike; a row begins at zero.
 *
 * @example
 * await addTo(context.db, signalKind, { kind: 1 }, { signals: 1 });
 */
export async function addTo<Table extends TotalsTable, const Key extends Partial<Table["$inferInsert"]>>(
  db: Context["db"],
  table: Table,
  key: Key | readonly Key[],
  change: Totals<Table, Key>,
): Promise<void> {
  // In here the row is numbers by column name, of whichever table: the signature has checked names and types against it.
  const added = Object.entries(change as Record<string, number | bigint>).filter(([, by]) => by !== 0 && by !== 0n);
  if (added.length === 0) return;
  await db
    .insert(table as typeof signalKind)
    .values([key].flat().map((one) => Object.assign({}, one, change)) as never)
    .onConflictDoUpdate((row: Record<string, unknown>) => {
      const next: Record<string, number | bigint> = {};
      for (const [column, by] of added) {
        const before = row[column];
        next[column] = typeof by === "bigint" ? (before as bigint) + by : (before as number) + by;
      }
      return next as never;
    });
}
