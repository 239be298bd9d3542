import type { AnyOperation } from "../operations/index";

/** The route of an operation, taken apart. */
export type Route = {
  method: "GET" | "POST" | "PUT";
  /** With parameters as OpenAPI writes them: `/agents/{agentId}`. */
  path: string;
  /** With parameters as Hono writes them: `/agents/:agentId`. */
  honoPath: string;
  pathParameters: string[];
  /** What is not in the path: the query of a GET, the body of anything else. */
  otherParameters: ReadonlySet<string>;
};

export function routeOf({ route, input }: Pick<AnyOperation, "route" | "input">): Route {
  const [method, path] = route.split(" ") as [Route["method"], string];
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    method,
    path,
    honoPath: path.replace(/\{(\w+)\}/g, ":$1"),
    pathParameters,
    otherParameters: new Set(Object.keys(input.shape).filter((name) => !pathParameters.includes(name))),
  };
}
