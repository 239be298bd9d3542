/** The time limit of a request. Exceeding it returns 503. */
export const TIME_LIMIT_MS = 15_000;
