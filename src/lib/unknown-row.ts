/**
 * Says that an event is about a row the index does not have. On a complete index that cannot happen, so tests fail on it;
 * with a START_BLOCK past the deployment it is to be expected, and the event log still has the event.
 */
export function unknownRow(what: string, id: unknown): void {
  const message = `An event is about ${what} ${String(id)}, which is not indexed. Is START_BLOCK later than the deployment?`;
  if (process.env.NODE_ENV === "test") throw new Error(message);
  console.warn(message);
}
