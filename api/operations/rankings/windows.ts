import { intervalSeconds, startOf } from "../../../common/rows/interval";
import type { BaseContext } from "../../core/context";
import { exactly } from "../../core/inputs";
import type { Dependency } from "../../core/operation";

/** The windows of rankings and records of participants. */
export const windowNames = ["24h", "7d", "30d", "all"] as const;

export type Window = (typeof windowNames)[number];

/** The hours of a window: the current one and those before it. */
const hours: Readonly<Record<Exclude<Window, "all">, bigint>> = { "24h": 24n, "7d": 168n, "30d": 720n };

/** The window of a ranking. */
export const windowInput = exactly(...windowNames)
  .default("7d")
  .openapi({ default: "7d", description: "Ends with the current hour." });

/** The first second of a window; null for all time. */
export function startOfWindow(window: Window, now: bigint): bigint | null {
  if (window === "all") return null;
  const start = startOf("hour", now) - (hours[window] - 1n) * intervalSeconds.hour;
  return start < 0n ? 0n : start;
}

/** The dependencies of a ranking. All time has no end, so it does not depend on the present. */
export const rankingDependencies = ({ window }: { window: Window }): readonly Dependency[] =>
  window === "all" ? ["index", "store"] : ["index", "store", "time"];

/** The first second of a window that ends at the present; null for all time. */
export const startFor = async (context: BaseContext, window: Window): Promise<bigint | null> =>
  window === "all" ? null : startOfWindow(window, (await context.clock()).now);
