/**
 * Warns that an event refers to a row that is not in the index. A complete index has every row, so tests throw. With a
 * START_BLOCK after the deployment, missing rows are expected; the event log still has the event.
 */
export function unknownRow(what: string, id: unknown): void {
  const message = `An event is about ${what} ${String(id)}, which is not indexed. Is START_BLOCK later than the deployment?`;
  if (process.env.NODE_ENV === "test") throw new Error(message);
  console.warn(message);
}

/** Awaits the update of a row and returns the row. If the row is missing, calls {@link unknownRow} and returns null. */
export async function known<Row>(update: Promise<Row>, what: string, id: unknown): Promise<Row | null> {
  try {
    return await update;
  } catch (error) {
    if (!(error instanceof Error && error.name === "RecordNotFoundError")) throw error;
    unknownRow(what, id);
    return null;
  }
}
