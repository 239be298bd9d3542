import { OpenAPIHono } from "@hono/zod-openapi";
import { VERSION } from "../../config/version";
import { type AnyOperation, type AnySubscription, readsIndex, z } from "../core/operation";
import { errorCode } from "../core/outputs";
import { INDEX_BLOCK, INDEX_STATUS } from "../http/reply";
import { PaymentRequirements } from "../operations/discovery";
import { allOperations, operations } from "../operations/index";
import { PAYMENT_REQUIRED } from "../payments/responses";
import { type Describable, describeDocument } from "./descriptions/describe";
import { tagDescriptions } from "./descriptions/tags";
import { responseExamples } from "./examples";
import { introduction } from "./introduction";
import { type Route, routeOf } from "./rest/route";
import { StreamDropped } from "./sse/stream";

const ErrorBody = z
  .strictObject({
    error: z.string().openapi({ example: "limit: must be a whole number from 1 to 100" }),
    code: errorCode,
  })
  .openapi("Error");

const errorMeanings = {
  400: "A parameter is invalid. The message contains its name and the problem.",
  401: "The request has no valid write token.",
  403: "The development helpers are disabled.",
  404: "The resource does not exist.",
  409: "The input conflicts with the stored or indexed state. The message explains the conflict.",
  410: "The event id is unknown or expired. The message explains how to restart the stream.",
  413: "The body exceeds its size limit.",
  429: "A rate limit or quota is exceeded. Retry after the delay in Retry-After.",
  500: "Internal error. The server's log has the details under this request's id.",
  503: "A dependency is unavailable. Retry later.",
} as const;

const text = (description: string) => ({ description, schema: { type: "string" as const } });

const unpaid = {
  error: z.string().openapi({ example: PAYMENT_REQUIRED }),
  code: z.enum(["payment_required", "payment_rejected"]),
};

const PaymentRequiredBody = z
  .strictObject({ ...unpaid, x402Version: z.literal(2), accepts: z.array(PaymentRequirements) })
  .openapi("PaymentRequired");

const PaidRequest = z
  .object({
    type: z.literal("http").openapi({ description: "The protocol." }),
    method: z.literal("GET").openapi({ description: "The HTTP method." }),
  })
  .openapi({ description: "The request." });

/** The body on networks that x402 version 1 names. */
const PaymentRequiredV1 = z
  .strictObject({
    ...unpaid,
    x402Version: z.literal(1),
    accepts: z.array(
      PaymentRequirements.omit({ amount: true })
        .extend({
          network: z.string().openapi({ description: "Its name in x402 version 1.", example: "base-sepolia" }),
          maxAmountRequired: z.string().openapi({ description: "In the asset's smallest unit.", example: "10000" }),
          resource: z.url().openapi({ description: "The URL of the resource." }),
          description: z.string().openapi({ description: "The resource in one sentence." }),
          mimeType: z.string().openapi({ description: "The type of the paid response.", example: "application/json" }),
          outputSchema: z.object({ input: PaidRequest }).openapi({ description: "How the resource is requested." }),
        })
        .openapi("PaymentRequirementsV1"),
    ),
  })
  .openapi("PaymentRequiredV1");

/** The additional headers and responses of a paid operation. */
const payment = {
  request: z.object({
    "payment-signature": z.string().optional().openapi({
      description:
        "The signed payment for one of the accepted payments in payment-required, in the format of x402 version 2.",
    }),
    "x-payment": z.string().optional().openapi({
      description:
        "The same for clients of x402 version 1: the signed payment for one of the accepted payments in the body.",
    }),
  }),
  paid: {
    "payment-response": text("The settled payment in the format of x402: base64 of JSON with the transaction."),
    "x-payment-response": text("The same for clients of x402 version 1, if they paid with X-PAYMENT."),
  },
  responses: {
    402: {
      description:
        "Payment is required, or the payment was rejected. The header has the terms of x402 version 2. The body has those of version 1 if version 1 names the payment network, otherwise those of version 2.",
      headers: { "payment-required": text("The accepted payments in the format of x402: base64 of JSON.") },
      content: {
        "application/json": {
          schema: z.union([PaymentRequiredBody, PaymentRequiredV1]),
        },
      },
    },
    404: {
      description: "The route is not available: payment is not configured on this server.",
      content: { "application/json": { schema: ErrorBody } },
    },
    409: {
      description: "Another request with the same payment is in progress. Retry after the delay in Retry-After.",
      headers: { "retry-after": text("The delay in seconds.") },
      content: { "application/json": { schema: ErrorBody } },
    },
    429: {
      description:
        "Too many payments of this client are in progress or were rejected. This one was not charged. Retry after the delay in Retry-After.",
      headers: { "retry-after": text("The delay in seconds.") },
      content: { "application/json": { schema: ErrorBody } },
    },
  },
};

const json = (schema: z.ZodType, example?: unknown) => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

/** The body of a document's route. The other transports return its text. */
const AnyDocument = z.unknown().openapi({ description: "The document as it was published, byte for byte." });

/** Converts a camelCase name to words: `trustSignals` to `Trust signals`. */
export const inWords = (name: string) => {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
};

/** The security schemes. */
const securitySchemes = {
  writeToken: {
    type: "http",
    scheme: "bearer",
    description: "A write token. Required for writes if the service is configured with write tokens.",
  },
  payment: {
    type: "apiKey",
    in: "header",
    name: "PAYMENT-SIGNATURE",
    description: "A signed x402 payment for one request. The 402 response has the accepted payments.",
  },
} as const;

/**
 * How a request is authorized. Reads are public, and writes need a token only where tokens are configured. A paid operation
 * may be called without a payment, which returns its terms.
 */
function securityOf({ writes, paid }: AnyOperation): Record<string, string[]>[] {
  if (paid) return [{}, { payment: [] }];
  return writes ? [{}, { writeToken: [] }] : [];
}

/** The sentences about an operation after its title: its own, its other interfaces, and its conditions. */
const descriptionOf = (name: string, operation: AnyOperation) =>
  [...(operation.description ? [operation.description] : []), interfacesOf(name, operation)].join(" ");

function interfacesOf(name: string, { kind, paid, writes, development }: AnyOperation): string {
  if (kind === "subscription")
    return "In the typed client: `follow`. On the command line: `intentry events`. `events.recent` returns the newest events without a stream.";
  if (paid) return "In the typed client: `portfolio`. On the command line: `intentry pay-portfolio`.";
  const sentences = [
    `In the typed client: \`${name}(…)\`. On the command line: \`intentry call ${name}\`.`,
    ...(writes ? ["Repeating a request changes nothing."] : []),
    ...(development ? ["A development helper: 403 unless the service enables them."] : []),
  ];
  return sentences.join(" ");
}

const headers = {
  "x-request-id": { description: "Identifies the request in the server's log.", schema: { type: "string" as const } },
};

/** The additional headers of responses that read the index. */
const indexHeaders = {
  [INDEX_BLOCK]: text("The newest indexed block when the index was read. The response includes all events up to it."),
  [INDEX_STATUS]: {
    description: "`syncing` during the backfill, otherwise absent.",
    schema: { type: "string" as const, enum: ["syncing"] },
  },
};

/** The header parameters of a route. */
const headersOf = ({ headers: fromHeaders }: Route, input: z.ZodObject) =>
  Object.keys(fromHeaders).length > 0 && {
    headers: z.object(
      Object.fromEntries(
        Object.entries(fromHeaders).map(([header, field]) => [header, input.shape[field] as z.ZodType]),
      ),
    ),
  };

/** The fields of an input with these names. */
const pickFrom = (input: z.ZodObject, names: Iterable<string>) =>
  input.pick(Object.fromEntries([...names].map((key) => [key, true])) as never);

/** The error responses of an operation. */
const errorResponses = (
  statuses: Iterable<keyof typeof errorMeanings>,
  bodies: { [Status in keyof typeof errorMeanings]?: z.ZodType } = {},
) =>
  Object.fromEntries(
    [...new Set([400, ...statuses, 500, 503] as const)]
      .sort()
      .map((status) => [
        status,
        { description: errorMeanings[status], headers, content: json(bodies[status] ?? ErrorBody) },
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
    description: `${descriptionOf(name, operation)} A stream begins like this:\n\n\`\`\`\n${streamExample}\`\`\``,
    tags: [inWords(resource)],
    security: securityOf(operation),
    request: { query: pickFrom(input, route.otherParameters), ...headersOf(route, input) },
    responses: {
      200: {
        description:
          "An endless stream of Server-Sent Events. `data` is JSON; the schemas describe each message type. `id` is the cursor to resume from, as `Last-Event-ID` or `after`.",
        headers,
        content: {
          "text/event-stream": {
            schema: z.union([...Object.values(messages), StreamDropped]),
            example: responseExamples[name],
          },
        },
      },
      ...errorResponses(errors),
    },
  });
}

/** The body of an operation's example: the fields that are not in the path. */
const bodyExample = ({ example }: AnyOperation, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(example).filter(([name]) => names.has(name)));

let document: ReturnType<typeof createDocument> | undefined;

/** The OpenAPI document of every operation. It is created when it is first used, which shortens a start. */
export const openApiDocument = () => {
  document ??= createDocument();
  return document;
};

function createDocument() {
  const app = new OpenAPIHono();
  for (const { name, resource, operation } of allOperations) {
    if (operation.kind === "subscription") {
      registerSubscription(app, name, resource, operation);
      continue;
    }
    const route = routeOf(operation);
    const { method, path, pathParameters, otherParameters } = route;
    const pick = (names: Iterable<string>) => pickFrom(operation.input, names);
    const errors = errorResponses([...(operation.errors ?? []), ...(method === "GET" ? [] : ([413] as const))], {
      ...(operation.conflict && { 409: ErrorBody.extend(operation.conflict.shape) }),
      ...(operation.status && { 503: z.union([operation.output, ErrorBody]) }),
    });
    app.openAPIRegistry.registerPath({
      operationId: name,
      method: method.toLowerCase() as Lowercase<typeof method>,
      path,
      summary: operation.summary,
      description: descriptionOf(name, operation),
      tags: [inWords(resource)],
      security: securityOf(operation),
      request: {
        ...(pathParameters.length > 0 && { params: pick(pathParameters) }),
        ...headersOf(route, operation.input),
        ...(operation.paid && { headers: payment.request }),
        ...(otherParameters.size > 0 &&
          (method === "GET"
            ? { query: pick(otherParameters) }
            : {
                body: { required: true, content: json(pick(otherParameters), bodyExample(operation, otherParameters)) },
              })),
      },
      responses: {
        [operation.status === 201 ? 201 : 200]: {
          description: operation.summary,
          headers: {
            ...headers,
            ...(readsIndex(operation) && indexHeaders),
            ...(operation.paid && payment.paid),
            ...(method === "GET" && {
              etag: { description: "The value for If-None-Match.", schema: { type: "string" as const } },
            }),
          },
          content: json(operation.document ? AnyDocument : operation.output, responseExamples[name]),
        },
        ...(method === "GET" &&
          !operation.paid && { 304: { description: "The response is unchanged since the one in If-None-Match." } }),
        ...errors,
        ...(operation.paid && payment.responses),
      },
    });
  }
  for (const [name, scheme] of Object.entries(securitySchemes))
    app.openAPIRegistry.registerComponent("securitySchemes", name, scheme);
  const created = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Intentry",
      version: VERSION,
      description: introduction,
      contact: { name: "The maintainers of Intentry" },
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
    },
    servers: [{ url: "/" }],
    tags: Object.keys(operations).map((resource) => ({
      name: inWords(resource),
      description: tagDescriptions[resource] ?? "",
    })),
  });
  describeDocument(created as Describable);
  return created;
}
