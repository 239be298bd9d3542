/**
 * Says that an event is about a row the index does not have. On a complete index that cannot happen, so tests fail on it;
 * with a START_BLOCK past the deployment it is to be expected, and the event log still has the event.
 */
export function unknownRow(what: string, id: unknown): void {
  const message = `An event is about ${what} ${String(id)}, which is not indexed. Is START_BLOCK later than the deployment?`;
  if (process.env.NODE_ENV === "test") throw new Error(message);
  console.warn(message);
}

/** Awaits the update of a row and returns the row; a row that is not there is said by {@link unknownRow} and gives null. */
export async function known<Row>(update: Promise<Row>, what: string, id: unknown): Promise<Row | null> {
  try {
    return await update;
  } catch (error) {
    if (!(error instanceof Error && error.name === "RecordNotFoundError")) throw error;
    unknownRow(what, id);
    return null;
  }
}
