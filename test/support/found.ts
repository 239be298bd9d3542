import { freeCalls } from "../../api/operations/index";
import { exampleSources } from "../../api/transports/example-sources";
import { routeOf } from "../../api/transports/rest/route";
import { addressOf } from "./lists/asking";

/** Parameters, by operation. */
export type Found = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Reads the parameters that depend on the chain, such as hashes, from a service with the sample activity. */
export async function findParameters(apiUrl: string): Promise<Found> {
  const found: Record<string, Record<string, string>> = {};
  for (const [name, { parameter, source }] of Object.entries(exampleSources)) {
    const operation = freeCalls.find((one) => one.name === source.operation)?.operation;
    if (!operation?.route.startsWith("GET ")) continue;
    const example = Object.entries(operation.example).map(([key, value]) => [key, String(value)]);
    const response = await fetch(apiUrl + addressOf(routeOf(operation).path, Object.fromEntries(example)));
    const [, value] = new RegExp(`"${source.key}":"([^"]+)"`).exec(await response.text()) ?? [];
    if (value === undefined) throw new Error(`${source.operation} has no ${source.key}`);
    found[name] = { [parameter]: value };
  }
  return found;
}
