import { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "../core/operation";
import { messageSchemas } from "../events/message";
import { subscription } from "../events/subscription";
import { INDEX_BLOCK, INDEX_STATUS } from "../http/index-headers";
import { PaymentRequirements } from "../operations/discovery";
import { allOperations } from "../operations/index";
import { introduction } from "./introduction";
import { type Route, routeOf } from "./rest/route";

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

/** What the stream of events looks like on the wire. */
const streamExample = `retry: 1000

id: 000000000042-000002-9c3f5a0d1e2b4c68
event: open
data: {"id":"000000000042-000002-9c3f5a0d1e2b4c68","safe_block_number":"12"}

id: 000000000043-000000-1f1f1f1f1f1f1f1f
event: event
data: {"id":"000000000043-000000-1f1f1f1f1f1f1f1f","event":"IntentCancelled",…}

: still here
`;

/** Documents the stream of events, which answers with no JSON but with messages whose data is JSON. */
function registerStream(app: OpenAPIHono): void {
  const { route, name, summary, input, errors } = subscription;
  const taken = routeOf(subscription);
  app.openAPIRegistry.registerPath({
    operationId: name,
    method: "get",
    path: route.replace("GET ", ""),
    summary,
    tags: ["Events"],
    request: { query: pickFrom(input, taken.otherParameters), ...headersOf(taken, input) },
    responses: {
      200: {
        description:
          "Messages, without end. `event` names the kind of a message: `open`, `event`, `removed`, `safe`, or `error` as the last one of a stream that fails. `data` is JSON of the kind's schema. `id` is what to come back with.",
        headers,
        content: { "text/event-stream": { schema: z.union(Object.values(messageSchemas)), example: streamExample } },
      },
      ...Object.fromEntries(
        ([400, ...errors, 500, 503] as const).map((status) => [
          status,
          { description: errorMeanings[status], headers, content: json(ErrorBody) },
        ]),
      ),
    },
  });
}

/** The OpenAPI document of every operation, and of the stream of events. */
export function openApiDocument() {
  const app = new OpenAPIHono();
  for (const { name, resource, operation } of allOperations) {
    const route = routeOf(operation);
    const { method, path, pathParameters, otherParameters } = route;
    const pick = (names: Iterable<string>) => pickFrom(operation.input, names);
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
        ...Object.fromEntries(errors),
        ...(operation.paid && payment.responses),
      },
    });
  }
  registerStream(app);
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
