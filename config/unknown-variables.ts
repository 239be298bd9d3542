import { nearest } from "../common/nearest";
import { variableNames } from "./variables/index";

/** How many letters of a variable may be mistyped. Short names resemble too many of other programs, such as APP_PORT. */
const tolerance = (_: string, { length }: string) => (length < 10 ? 0 : length < 16 ? 1 : 2);

/**
 * Problems with variables that are probably mistyped: set, not ours, and similar to one of ours that is not set. Variables of
 * other programs are accepted.
 *
 * @example
 * unknownVariables({ WRITE_TOKEN: "…" }) // ["WRITE_TOKEN: … rename it to WRITE_TOKENS, …"]
 */
export function unknownVariables(source: Record<string, string | undefined>): string[] {
  return Object.entries(source).flatMap(([name, value]) => {
    if (!value || variableNames.includes(name)) return [];
    const [meant] = nearest(name, variableNames, tolerance);
    return meant === undefined || source[meant]
      ? []
      : [`${name}: is not a variable of this service; rename it to ${meant}, or unset it`];
  });
}
