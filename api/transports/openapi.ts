import { OpenAPIHono } from "@hono/zod-openapi";
import { type AnySubscription, z } from "../core/operation";
import { INDEX_BLOCK, INDEX_STATUS } from "../http/index-headers";
import { PaymentRequirements } from "../operations/discovery";
import { allOperations } from "../operations/index";
import { introduction } from "./introduction";
import { type Route, routeOf } from "./rest/route";
import { StreamDropped } from "./sse/stream";

const ErrorBody = z
  .strictObject({ error: z.string().openapi({ example: "limit: must be a whole number from 1 to 100" }) })
  .openapi("Error");

const errorMeanings = {
  400: "A parameter is wrong; the message says which and why.",
  401: "Writing needs a token.",
  403: "The development helpers are off.",
  404: "There is none.",
  409: "It contradicts what is there; the message says how.",
  410: "The event id is unknown or expired; the message says how to start again.",
  413: "The body is larger than it may be.",
  429: "Too much for now; Retry-After says when to come back.",
  500: "Something unforeseen happened; the server's log has it under this request's id.",
  503: "Something that the service needs does not answer.",
} as const;

const text = (description: string) => ({ description, schema: { type: "string" as const } });

/** What a paid operation takes and answers beside what it says of itself. */
const payment = {
  request: z.object({
    "payment-signature": z.string().optional().openapi({
      description:
        "The payment, as x402 version 2 has it: what payment-required asks for, signed. X-PAYMENT of version 1 works too.",
    }),
  }),
  paid: { "payment-response": text("What was paid, as x402 has it: base64 of JSON with the transaction.") },
  responses: {
    402: {
      description: "Payment is required, or what was sent does not pay.",
      headers: { "payment-required": text("How to pay, as x402 has it: base64 of JSON.") },
      content: {
        "application/json": {
          schema: z
            .strictObject({
              error: z.string().openapi({ example: "Payment required" }),
              x402Version: z.literal(2),
              accepts: z.array(PaymentRequirements),
            })
            .openapi("PaymentRequired"),
        },
      },
    },
    404: {
      description: "It is not sold here: this service was not told who is paid for it.",
      content: { "application/json": { schema: ErrorBody } },
    },
    409: {
      description: "The same payment is being worked on for another request; Retry-After says when to ask again.",
      headers: { "retry-after": text("In seconds.") },
      content: { "application/json": { schema: ErrorBody } },
    },
  },
};

const json = (schema: z.ZodType, example?: unknown) => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

/** A field's name in words: `trustSignals` as `Trust signals`. */
export const inWords = (name: string) => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

const headers = {
  "x-request-id": { description: "Names the request in the server's log.", schema: { type: "string" as const } },
};

/** What an answer made from the index says of it. */
const indexHeaders = {
  [INDEX_BLOCK]: text("The newest indexed block when the index was read; the answer includes everything up to it."),
  [INDEX_STATUS]: {
    description: "Present while the index has not caught up with the chain's history.",
    schema: { type: "string" as const, enum: ["syncing"] },
  },
};

/** What a route takes from headers. */
const headersOf = ({ headers: fromHeaders }: Route, input: z.ZodObject) =>
  Object.keys(fromHeaders).length > 0 && {
    headers: z.object(
      Object.fromEntries(Object.entries(fromHeaders).map(([header, part]) => [header, input.shape[part] as z.ZodType])),
    ),
  };

/** The parts of an input that have these names. */
const pickFrom = (input: z.ZodObject, names: Iterable<string>) =>
  input.pick(Object.fromEntries([...names].map((key) => [key, true])) as never);

/** The errors of an operation as responses. */
const errorResponses = (statuses: Iterable<keyof typeof errorMeanings>, unavailable: z.ZodType = ErrorBody) =>
  Object.fromEntries(
    [...new Set([400, ...statuses, 500, 503] as const)]
      .sort()
      .map((status) => [
        status,
        { description: errorMeanings[status], headers, content: json(status === 503 ? unavailable : ErrorBody) },
      ]),
  );

/** Documents a subscription: its response is a stream of messages with JSON data. */
function registerSubscription(app: OpenAPIHono, name: string, resource: string, operation: AnySubscription): void {
  const { summary, input, errors = [], messages, streamExample } = operation;
  const route = routeOf(operation);
  app.openAPIRegistry.registerPath({
    operationId: name,
    method: "get",
    path: route.path,
    summary,
    tags: [inWords(resource)],
    request: { query: pickFrom(input, route.otherParameters), ...headersOf(route, input) },
    responses: {
      200: {
        description:
          "Server-Sent Events, without end. `data` is JSON; the schemas say which message type has which. `id` is the value to resume with, as `Last-Event-ID` or `after`.",
        headers,
        content: {
          "text/event-stream": {
            schema: z.union([...Object.values(messages), StreamDropped]),
            example: streamExample,
          },
        },
      },
      ...errorResponses(errors),
    },
  });
}

/** The OpenAPI document of every operation. */
export function openApiDocument() {
  const app = new OpenAPIHono();
  for (const { name, resource, operation } of allOperations) {
    if (operation.kind === "subscription") {
      registerSubscription(app, name, resource, operation);
      continue;
    }
    const route = routeOf(operation);
    const { method, path, pathParameters, otherParameters } = route;
    const pick = (names: Iterable<string>) => pickFrom(operation.input, names);
    const errors = errorResponses(
      [...(operation.errors ?? []), ...(method === "GET" ? [] : ([413] as const))],
      operation.status ? z.union([operation.output, ErrorBody]) : ErrorBody,
    );
    app.openAPIRegistry.registerPath({
      operationId: name,
      method: method.toLowerCase() as Lowercase<typeof method>,
      path,
      summary: operation.summary,
      tags: [inWords(resource)],
      request: {
        ...(pathParameters.length > 0 && { params: pick(pathParameters) }),
        ...headersOf(route, operation.input),
        ...(operation.paid && { headers: payment.request }),
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
            ...(operation.readsIndex !== false && indexHeaders),
            ...(operation.paid && payment.paid),
            ...(method === "GET" && {
              etag: { description: "For If-None-Match.", schema: { type: "string" as const } },
            }),
          },
          content: json(operation.output),
        },
        ...(method === "GET" &&
          !operation.paid && { 304: { description: "The client has it already (If-None-Match)." } }),
        ...errors,
        ...(operation.paid && payment.responses),
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
