import type { Example } from "../../test/support/same-answers/examples";
import type { Bar } from "../plot";
import { formatRate, median } from "../report";
import type { Servers } from "./servers";

/** Requests per second in each round, by server. */
export type Rates<Name extends string> = Record<Name, number[]>;

/** The obstacle of a route that the other server does not have yet. It misses no goal. */
export const NEW_ROUTE = "new";

/** The servers of one run, and how their rates are reported. */
export type Comparison<Name extends string> = Servers<Name> & {
  /** The server that the goals compare with. */
  relativeTo: string;
  /** Requested instead of the route's path. */
  pathOn?: (server: Name) => string | undefined;
  /** The routes that are compared. Default: all. */
  routes?: ReadonlySet<string>;
  /** Throws unless the servers give the same answers, because their speeds would mean nothing otherwise. */
  requireSameAnswers?: () => Promise<void>;
  /** Says why a route can't be compared. */
  obstacle?: (example: Example) => Promise<string | undefined>;
  /** The columns after the route, and their cells. */
  columns: readonly string[];
  cells: (rates: Rates<Name>) => string[];
  ratios: (route: string, rates: Rates<Name>) => Bar;
  /** The goals that are missed. */
  missed: (routes: readonly Bar[], isComplete: boolean) => string[];
};

/** The median of the rounds' ratios. Rates of the same round are measured one after the other, so a slow minute affects both. */
export const ratioOf = (rates: readonly number[], others: readonly number[]): number =>
  median(rates.map((rate, round) => rate / (others[round] ?? Number.NaN)));

export const rateCell = (rates: readonly number[]): string => formatRate(median(rates));

export const ratioCell = (rates: readonly number[], others: readonly number[]): string =>
  ratioOf(rates, others).toFixed(2);
