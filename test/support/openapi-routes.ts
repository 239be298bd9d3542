import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ID_PATTERN, TIME_PATTERN } from "../../api/core/inputs";

/** The subset of JSON Schema that the tests use. */
export type Schema = {
  type?: string;
  pattern?: string;
  maxLength?: number;
  enum?: (string | number)[];
  example?: unknown;
};

export type Parameter = { name: string; in: "path" | "query" | "header"; required: boolean; schema: Schema };

type Content = {
  "application/json": { schema: Schema & { properties?: Record<string, Schema> } };
  "text/event-stream"?: { schema: Schema };
};

export type DocumentedRoute = {
  operationId: string;
  method: string;
  path: string;
  parameters: Parameter[];
  body: Content | undefined;
  responses: Record<string, { content?: Content }>;
};

type DocumentedOperation = Pick<DocumentedRoute, "operationId" | "responses"> & {
  parameters?: Parameter[];
  requestBody?: { content: Content };
};

/** The committed OpenAPI document. CI checks that it is up to date. */
export const openApi = JSON.parse(
  readFileSync(join(import.meta.dirname, "..", "..", "docs", "openapi.json"), "utf8"),
) as {
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: { schemas: Record<string, Schema> };
};

/** Every documented operation except the event stream, which does not end. */
export const documentedRoutes: DocumentedRoute[] = Object.entries(openApi.paths)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody, responses }]) => ({
      operationId,
      method: method.toUpperCase(),
      path,
      parameters: parameters.filter(({ in: place }) => place !== "header"),
      body: requestBody?.content,
      responses,
    })),
  )
  .filter(({ responses }) => !responses["200"]?.content?.["text/event-stream"]);

/** The kind of a parameter. */
export type Kind =
  | "id"
  | "address"
  | "hash"
  | "idOrAddress"
  | "time"
  | "flag"
  | "name"
  | "number"
  | "limit"
  | "offset"
  | "cursor"
  | "chains"
  | "q"
  | "records"
  | "text";

export function kindOf({ name, schema }: Parameter): Kind {
  const byName = (["limit", "offset", "cursor", "chains", "q", "records"] as const).find((one) => one === name);
  if (byName) return byName;
  if (schema.type === "boolean") return "flag";
  if (schema.enum) return schema.type === "integer" ? "number" : "name";
  if (schema.maxLength !== undefined) return "text";
  const byPattern: Record<string, Kind> = {
    [ID_PATTERN]: "id",
    [TIME_PATTERN]: "time",
    "^0x[0-9a-fA-F]{40}$": "address",
    "^0x[0-9a-fA-F]{64}$": "hash",
    "^(0*[0-9]{1,78}|0x[0-9a-fA-F]{40})$": "idOrAddress",
  };
  const kind = byPattern[schema.pattern ?? ""];
  if (!kind) throw new Error(`Unknown kind of parameter ${name}`);
  return kind;
}

/** The path and query of a request. Values are inserted without encoding. */
export function target({ path, parameters }: DocumentedRoute, values: Record<string, string>, ...more: string[]) {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
  const query = parameters
    .filter(({ name, in: place }) => place === "query" && values[name] !== undefined)
    .map(({ name }) => `${name}=${values[name]}`);
  const parts = [...query, ...more];
  return parts.length > 0 ? `${filled}?${parts.join("&")}` : filled;
}
