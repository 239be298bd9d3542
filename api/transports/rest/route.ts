import type { AnyOperation } from "../../core/operation";

/** The route of an operation, taken apart. */
export type Route = {
  method: "GET" | "POST" | "PUT";
  /** With parameters as OpenAPI writes them: `/agents/{agentId}`. */
  path: string;
  /** With parameters as Hono writes them: `/agents/:agentId`. */
  honoPath: string;
  pathParameters: string[];
  /** The names of headers, each with the part of the input that it is. */
  headers: Readonly<Record<string, string>>;
  /** What is not in the path or a header: the query of a GET, the body of anything else. */
  otherParameters: ReadonlySet<string>;
};

export function routeOf({ route, input, headers = {} }: Pick<AnyOperation, "route" | "input" | "headers">): Route {
  const [method, path] = route.split(" ") as [Route["method"], string];
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  return {
    method,
    path,
    honoPath: path.replace(/\{(\w+)\}/g, ":$1"),
    pathParameters,
    headers,
    otherParameters: new Set(
      Object.keys(input.shape).filter((name) => ![...pathParameters, ...Object.values(headers)].includes(name)),
    ),
  };
}
