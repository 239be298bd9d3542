/** How long a request may take. */
export const TIME_LIMIT_MS = 15_000;
