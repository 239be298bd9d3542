/** The time limit of a request. Exceeding it returns 503. */
export const TIME_LIMIT_MS = 15_000;

export const TOO_SLOW = "The request took too long; try again";
