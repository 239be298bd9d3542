import { compareServers } from "../../test/support/same-answers/compare";
import { baselineRoutes } from "../baseline/routes";
import { urlOf } from "../sample-stack";
import { type Comparison, rateCell, ratioCell, ratioOf } from "./comparison";
import { EMPTY_PATH } from "./empty-route";
import { missedBesideExpress } from "./goals";
import { startBesideExpress } from "./servers";

type Name = "hot" | "cold" | "express" | "empty" | "onlyEmpty";

/** Compares the gateway with a plain server of Express and pg (bench/baseline), and with an empty Hono route. */
export async function besideExpress(onProgress: (what: string) => void): Promise<Comparison<Name>> {
  const servers = await startBesideExpress(onProgress);
  const { ports } = servers;
  return {
    ...servers,
    relativeTo: "Express + pg",
    routes: baselineRoutes,
    pathOn: (server) => (server === "empty" || server === "onlyEmpty" ? EMPTY_PATH : undefined),
    async requireSameAnswers() {
      for (const [other, routes] of [
        ["cold", undefined],
        ["express", baselineRoutes],
      ] as const) {
        const { differences, compared } = await compareServers(urlOf(ports.hot), urlOf(ports[other]), { routes });
        if (differences.length > 0) throw new Error(`hot and ${other} differ:\n${differences.join("\n")}`);
        onProgress(`${compared} answers of hot and ${other} are equal`);
      }
    },
    columns: [
      ...["Ours, hot", "Ours, cold"],
      ...["Express + pg", "Hot ratio", "Cold ratio"],
      ...["Empty route", "Hot ratio", "Only an empty route", "Hot ratio"],
    ],
    cells: ({ hot, cold, express, empty, onlyEmpty }) => [
      ...[rateCell(hot), rateCell(cold)],
      ...[rateCell(express), ratioCell(hot, express), ratioCell(cold, express)],
      ...[rateCell(empty), ratioCell(hot, empty), rateCell(onlyEmpty), ratioCell(hot, onlyEmpty)],
    ],
    ratios: (route, { hot, cold, express }) => ({
      label: route,
      cold: ratioOf(cold, express),
      // The cache serves reads only.
      hot: route.startsWith("GET ") ? ratioOf(hot, express) : undefined,
    }),
    missed: missedBesideExpress,
  };
}
