import { allOperations } from "../operations/index";
import { routeOf } from "./rest/route";

/** The paths of requests without an operation of their own, by their name in metrics and traces. */
const otherRoutes = { mcp: "/mcp", metrics: "/metrics", trpc: "/trpc/*" };

const routes = new Map([
  ...Object.entries(otherRoutes),
  ...allOperations.map(({ name, operation }) => [name, routeOf(operation).path] as const),
]);

/** The route of an operation by its name, such as `/agents/{agentId}`. Undefined for unknown requests. */
export const routeOfOperation = (operation: string): string | undefined => routes.get(operation);
