import type { Bar } from "../plot";
import { median } from "../report";

const atLeast = (goal: number, what: string, ratio: number | undefined): string[] =>
  // A ratio that is not a number misses the goal too.
  ratio === undefined || ratio >= goal ? [] : [`${what}: ${ratio.toFixed(3)}, the goal is ${goal}`];

const OF_COMMIT = 0.85;

/** The goals that are missed in comparison with another commit. */
export const missedBesideCommit = (routes: readonly Bar[]): string[] =>
  routes.flatMap(({ label, hot, cold }) => [
    ...atLeast(OF_COMMIT, `${label}, hot`, hot),
    ...atLeast(OF_COMMIT, `${label}, cold`, cold),
  ]);

const OF_EXPRESS = { medianHot: 4, hot: 2.5, cold: 1, post: 1.2 };

/**
 * The goals that are missed in comparison with Express and pg. A POST route has no `hot`, because the cache serves reads only.
 * The median has a goal only if every route was measured.
 */
export function missedBesideExpress(routes: readonly Bar[], isComplete: boolean): string[] {
  const hot = routes.flatMap((one) => one.hot ?? []);
  return [
    ...(isComplete ? atLeast(OF_EXPRESS.medianHot, "median of all GET routes, hot", median(hot)) : []),
    ...routes.flatMap((one) =>
      one.hot === undefined
        ? atLeast(OF_EXPRESS.post, one.label, one.cold)
        : [
            ...atLeast(OF_EXPRESS.hot, `${one.label}, hot`, one.hot),
            ...atLeast(OF_EXPRESS.cold, `${one.label}, cold`, one.cold),
          ],
    ),
  ];
}
