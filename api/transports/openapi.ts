import { OpenAPIHono } from "@hono/zod-openapi";
import { allOperations } from "../operations/index";
import { z } from "../operations/operation";
import { introduction } from "./introduction";
import { routeOf } from "./route";

const ErrorBody = z
  .strictObject({ error: z.string().openapi({ example: "limit: must be a whole number from 1 to 100" }) })
  .openapi("Error");

const errorMeanings = {
  400: "A parameter is wrong; the message says which and why.",
  401: "Writing needs a token.",
  403: "The development helpers are off.",
  404: "There is none.",
  409: "It contradicts what is there; the message says how.",
  410: "Nothing is known of it any more; the message says how to begin anew.",
  413: "The body is larger than it may be.",
  429: "Too much for now; Retry-After says when to come back.",
  500: "Something unforeseen happened; the server's log has it under this request's id.",
  503: "Something that the service needs does not answer.",
} as const;

const json = (schema: z.ZodType, example?: unknown) => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

/** A field's name in words: `trustSignals` as `Trust signals`. */
const inWords = (name: string) => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** The OpenAPI document of every operation. */
export function openApiDocument() {
  const app = new OpenAPIHono();
  const headers = {
    "x-request-id": { description: "Names the request in the server's log.", schema: { type: "string" as const } },
  };
  for (const { name, resource, operation } of allOperations) {
    const { method, path, pathParameters, headers: fromHeaders, otherParameters } = routeOf(operation);
    const pick = (names: Iterable<string>) =>
      operation.input.pick(Object.fromEntries([...names].map((key) => [key, true])) as never);
    const statuses = new Set<keyof typeof errorMeanings>([400, ...(operation.errors ?? []), 500, 503]);
    if (method !== "GET") statuses.add(413);
    const errors = [...statuses].sort().map((status) => [
      status,
      {
        description: errorMeanings[status],
        headers,
        content: json(status === 503 && operation.status ? z.union([operation.output, ErrorBody]) : ErrorBody),
      },
    ]);
    app.openAPIRegistry.registerPath({
      operationId: name,
      method: method.toLowerCase() as Lowercase<typeof method>,
      path,
      summary: operation.summary,
      tags: [inWords(resource)],
      request: {
        ...(pathParameters.length > 0 && { params: pick(pathParameters) }),
        ...(Object.keys(fromHeaders).length > 0 && {
          headers: z.object(
            Object.fromEntries(
              Object.entries(fromHeaders).map(([header, part]) => [header, operation.input.shape[part] as z.ZodType]),
            ),
          ),
        }),
        ...(otherParameters.size > 0 &&
          (method === "GET"
            ? { query: pick(otherParameters) }
            : { body: { required: true, content: json(pick(otherParameters), operation.example) } })),
      },
      responses: {
        [operation.status === 201 ? 201 : 200]: {
          description: operation.summary,
          headers: {
            ...headers,
            ...(method === "GET" && {
              etag: { description: "For If-None-Match.", schema: { type: "string" as const } },
            }),
          },
          content: json(operation.output),
        },
        ...(method === "GET" && { 304: { description: "The client has it already (If-None-Match)." } }),
        ...Object.fromEntries(errors),
      },
    });
  }
  return app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Intentry",
      version: "0.1.0",
      description: introduction,
      license: { name: "MIT" },
    },
    servers: [{ url: "/" }],
  });
}
