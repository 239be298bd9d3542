import { hex } from "./row-values";

const KINDS = 5;
const TOKENS = 50;
const METRICS_OF_SOLVER = 6;
const ROWS_OF_HOUR = 60;
/** How many participants of a kind act in the same hours, and how many hours each has. */
const PARALLEL = 20;
const HOURS = 100;
const COUNTERPARTIES = 20;

/** The rows of each kind alternate. */
const kind = `(ARRAY['agent','merchant','service','facilitator','solver'])[1 + n % ${KINDS}]`;

/** The key of a participant with this number, of the row's kind. */
const key = (number: string) =>
  `CASE n % ${KINDS} WHEN 0 THEN ${hex(40, "owner", number)} WHEN 3 THEN ${hex(40, "facilitator", number)}
   WHEN 4 THEN ${hex(40, "operator", number)} ELSE (${number})::text END`;

/** The place of a row among those of its kind. */
const place = `(n / ${KINDS})`;

const metric = `CASE n % ${KINDS} WHEN 4 THEN
  (ARRAY['fills','surplus','surplus_bps','bids','wins','cancelled'])[1 + ${place} % ${METRICS_OF_SOLVER}] ELSE 'receipts' END`;

/** Some metrics of solvers have no token. */
const tokenOf = (number: string) =>
  `CASE WHEN n % ${KINDS} = 4 AND ${place} % ${METRICS_OF_SOLVER} > 1 THEN '' ELSE ${hex(40, "token", number)} END`;

/** The first second of an hour, a number of hours before the last. */
const hour = (before: string) => `2000000000 - 2000000000 % 3600 - 3600 * (${before})`;

/** The SQL of the columns of src/schema/participants.ts, for row `n` of `rows`. */
export const participantTables: Readonly<Record<string, Record<string, string>>> = {
  // The same number of rows in each hour, up to the last.
  participant_hour: {
    kind,
    key: key(`1 + ${PARALLEL} * (${place} / ${PARALLEL * HOURS}) + ${place} % ${PARALLEL}`),
    metric,
    token: tokenOf(`1 + ${place} % ${TOKENS}`),
    start: hour(`(rows - n) / ${ROWS_OF_HOUR}`),
    count: "1 + n % 9",
    amount: "n::numeric * 1000",
  },
  participant_total: {
    kind,
    key: key(`1 + ${place} / ${METRICS_OF_SOLVER}`),
    metric,
    token: tokenOf(`1 + (${place} / ${METRICS_OF_SOLVER} * 7 + ${place}) % ${TOKENS}`),
    count: "n",
    amount: "n::numeric * 1000",
    counterparties: "n % 100",
    credit: "n % 1000",
  },
  counterparty: {
    kind,
    key: key(`1 + ${place} / ${COUNTERPARTIES}`),
    token: hex(40, "token", "1"),
    counterparty: `CASE n % ${KINDS} WHEN 0 THEN ${place}::text ELSE ${hex(40, "owner", place)} END`,
    settlements: "n % 3",
    facilitated: "n % 5",
    claims: "n % 7",
    is_self: "n % 50 = 0",
    last: "2000000000 - 30 * (rows - n)",
  },
  fill_latency: {
    solver: hex(40, "operator", "1 + n / 100"),
    start: `CASE WHEN n % 100 < 20 THEN -1 ELSE ${hour("n % 100 / 2")} END`,
    blocks: "n % 20",
    count: "1 + n % 9",
  },
};
