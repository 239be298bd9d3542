import type { AnyOperation } from "../../core/operation";

/** The parsed route of an operation. */
export type Route = {
  method: "GET" | "POST" | "PUT";
  /** In OpenAPI's syntax: `/agents/{agentId}`. */
  path: string;
  /** In Hono's syntax: `/agents/:agentId`. */
  honoPath: string;
  pathParameters: string[];
  /** Input fields by header name. */
  headers: Readonly<Record<string, string>>;
  /** The other input fields: the query of a GET, the body of other methods. */
  otherParameters: ReadonlySet<string>;
  /** The names that a body may have: the other input fields, and those that the operation ignores. */
  bodyNames: ReadonlySet<string>;
};

type Routed = Pick<AnyOperation, "route" | "input" | "headers" | "ignored">;

export function routeOf({ route, input, headers = {}, ignored = [] }: Routed): Route {
  const [method, path] = route.split(" ") as [Route["method"], string];
  const pathParameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const otherParameters = Object.keys(input.shape).filter(
    (name) => ![...pathParameters, ...Object.values(headers)].includes(name),
  );
  return {
    method,
    path,
    honoPath: path.replace(/\{(\w+)\}/g, ":$1"),
    pathParameters,
    headers,
    otherParameters: new Set(otherParameters),
    bodyNames: new Set([...otherParameters, ...ignored]),
  };
}
