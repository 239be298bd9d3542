import type { Result } from "./check";

/** Counts results by status, such as `12 ok, 1 warning, 0 failed`. */
function summary(results: readonly Result[]): string {
  const count = (status: Result["status"]) => results.filter((result) => result.status === status).length;
  const warnings = count("warning");
  return `${count("ok")} ok, ${warnings} ${warnings === 1 ? "warning" : "warnings"}, ${count("failed")} failed`;
}

const lineOf = (result: Result): string =>
  [
    `${result.status.padEnd(7)}  ${result.name}: ${result.message}`,
    ...("advice" in result ? [result.advice] : []),
  ].join(" ");

/** One line per check, and the counts. */
export const textReport = (results: readonly Result[]): string =>
  [...results.map(lineOf), "", summary(results)].join("\n");

/** The results for programs: `{ ok, checks: [{ name, status, message, advice? }] }`. */
export const jsonReport = (results: readonly Result[]): string =>
  JSON.stringify({ ok: results.every(({ status }) => status !== "failed"), checks: results }, null, 2);
