import type { Example, Request } from "../../test/support/same-answers/examples";
import { urlOf } from "../sample-stack";
import { checkOut, commitOf } from "./checkout";
import { type Comparison, NEW_ROUTE, rateCell, ratioCell, ratioOf } from "./comparison";
import { fieldDifference } from "./fields";
import { missedBesideCommit } from "./goals";
import { startBesideCheckout } from "./servers";

type Name = "hot" | "otherHot" | "cold" | "otherCold";

async function ask(port: number, { method, path, body }: Request): Promise<{ status: number; answer: unknown }> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${urlOf(port)}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers }),
  });
  return { status: response.status, answer: await response.json() };
}

/** Compares the gateway with that of another commit, on the same database. */
export async function besideCommit(ref: string, onProgress: (what: string) => void): Promise<Comparison<Name>> {
  const commit = await commitOf(ref);
  onProgress(`Installing ${ref}`);
  const servers = await startBesideCheckout(await checkOut(commit), onProgress);
  const { ports } = servers;

  /** The other commit may lack the route, or some of its fields, or the database may have changed too much for it. */
  async function obstacle({ route, request }: Example): Promise<string | undefined> {
    const [own, other] = [await ask(ports.cold, request), await ask(ports.otherCold, request)];
    if (own.status !== 200) throw new Error(`${route} returned ${own.status}: ${JSON.stringify(own.answer)}`);
    if (other.status === 404 || other.status === 405) return NEW_ROUTE;
    if (other.status !== 200) return `${ref} returned ${other.status}`;
    const difference = fieldDifference(own.answer, other.answer);
    if (difference) onProgress(`${route} has other fields than in ${ref}; ${difference}`);
    return undefined;
  }

  return {
    ...servers,
    relativeTo: ref,
    obstacle,
    columns: ["Ours, hot", `${ref}, hot`, "Hot ratio", "Ours, cold", `${ref}, cold`, "Cold ratio"],
    cells: ({ hot, otherHot, cold, otherCold }) => [
      ...[rateCell(hot), rateCell(otherHot), ratioCell(hot, otherHot)],
      ...[rateCell(cold), rateCell(otherCold), ratioCell(cold, otherCold)],
    ],
    ratios: (route, { hot, otherHot, cold, otherCold }) => ({
      label: route,
      hot: ratioOf(hot, otherHot),
      cold: ratioOf(cold, otherCold),
    }),
    missed: missedBesideCommit,
  };
}
