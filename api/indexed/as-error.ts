/** What was thrown, as an error: pg's callbacks take nothing else. */
export const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));
