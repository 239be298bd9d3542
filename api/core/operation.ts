import { z } from "@hono/zod-openapi";
import type { BaseContext } from "./context";
import type { ErrorStatus } from "./errors";

/** What operations of every kind have. */
type Definition<Input extends z.ZodObject, Context extends BaseContext> = {
  /** The REST route. Input that is not in the path comes from the query (GET) or the body (other methods). */
  route: `${"GET" | "POST" | "PUT"} /${string}`;
  /** Its title in the documentation: a sentence of at most 60 characters. */
  summary: string;
  /** The sentences after the title, in Markdown. */
  description?: string;
  /** Path, query and body as one object. Accepts strings (REST) and typed values (tRPC, MCP). */
  input: Input;
  /** Error statuses other than 400 and 500. */
  errors?: readonly ErrorStatus[];
  /** An input that succeeds on the sample chain of `npm start`. */
  example: z.input<Input>;
  /** Names that documented clients send and that have no effect, such as `metadata_uri` or `quote.agent`. Other unknown names are errors. */
  ignored?: readonly string[];
  /** Input fields that REST reads from headers, by header name. */
  headers?: Readonly<Record<string, string>>;
  /** Throws BadInput for input that this deployment can't serve. Runs before any payment. */
  check?: (context: Context, input: z.output<Input>) => void;
};

/**
 * State that the output of an operation depends on:
 * - `index`: Ponder's tables. Responses have index headers
 * - `store`: our own tables
 * - `time`: the clock, and tokens, which are looked up again after some time
 * - `baseUrl`: the URL at which the client reaches this service
 * - `untracked`: anything without a revision, such as a node, another service or the client. Responses are not kept
 */
export type Dependency = "index" | "store" | "time" | "baseUrl" | "untracked";

/** An operation with one response per request. Every transport derives its handling from the list of operations. */
export type Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Context extends BaseContext = BaseContext,
> = Definition<Input, Context> & {
  kind?: undefined;
  /** An additional REST path. */
  alias?: `/${string}`;
  output: Output;
  /** The fields of a 409 response beside `error` and `code`, if it has any. */
  conflict?: z.ZodObject;
  /** The success status. Default: 200. */
  status?: 201 | ((output: z.output<Output>) => 200 | 503);
  /**
   * Whether it writes to the store. Writes are rate limited and may require a token. They are acknowledged once no
   * process serves the state before them. One that usually inserts rows that no kept response contains waits by itself.
   */
  writes?: true | "insert";
  /** Whether it may publish a document, by running an operation that writes. */
  publishes?: true;
  /** What the output depends on besides the input and the settings. A response is kept as long as none of it changes. */
  dependsOn: readonly Dependency[] | ((input: z.output<Input>) => readonly Dependency[]);
  /** Marks a development helper: the 403 message if `devHelpers` is off. */
  development?: string;
  /** Whether the output is the text of a document. It is immutable and identified by the input's `hash`. */
  document?: boolean;
  /** The name of its MCP tool. Default: the operation's name with an underscore. */
  tool?: string;
  /** Whether it requires payment. Only the paywall can run it, and only the paid REST route serves it. */
  paid?: true;
  run: (context: Context, input: z.output<Input>, caller: Caller) => Promise<z.input<Output>>;
};

/** A message of a subscription. `id` is the cursor to resume after it; null if the message does not move the cursor. */
type StreamMessage = { type: string; id: string | null; data: unknown };

/** A message with its encoding as a server-sent event, which all subscribers share. */
export type StreamEntry = { message: StreamMessage; bytes: Uint8Array };

/** An operation that sends messages until the subscriber or the service ends the stream. */
export type Subscription<
  Input extends z.ZodObject = z.ZodObject,
  Context extends BaseContext = BaseContext,
> = Definition<Input, Context> & {
  kind: "subscription";
  /** The type of the data of each kind of message. */
  messages: Readonly<Record<string, z.ZodType>>;
  /** The beginning of a stream as server-sent events, for the documentation. */
  streamExample: string;
  /** Accepts a subscriber, or throws the reason why not. The signal ends the stream. */
  subscribe: (
    context: Context,
    input: z.output<Input>,
    caller: Caller,
    signal: AbortSignal,
  ) => Promise<AsyncGenerator<readonly StreamEntry[], void>>;
};

/** The client of one request. */
export type Caller = {
  /** The public URL of this service, without a trailing slash. */
  baseUrl: string;
  /** The rate-limit key. */
  client: string;
  /** Whether the request has a valid write token. */
  hasWriteToken: boolean;
  /** Set if the response has less than others get, because the client has used its share of something. */
  isLimited?: boolean;
};

/** An operation with one response and erased types, for the transports. Its zod types validate input and output at run time. */
export type AnyCall = Omit<Operation, "run" | "check" | "status" | "example" | "dependsOn"> & {
  dependsOn: readonly Dependency[] | ((input: never) => readonly Dependency[]);
  example: Record<string, unknown>;
  status?: 201 | ((output: never) => 200 | 503);
  check?: (context: never, input: never) => void;
  run: (context: never, input: never, caller: Caller) => Promise<unknown>;
};

/** A subscription with erased types, for the transports. */
export type AnySubscription = Omit<Subscription, "subscribe" | "check" | "example"> & {
  example: Record<string, unknown>;
  check?: (context: never, input: never) => void;
  subscribe: (
    context: never,
    input: never,
    caller: Caller,
    signal: AbortSignal,
  ) => Promise<AsyncGenerator<readonly StreamEntry[], void>>;
} & { [Key in Exclude<keyof AnyCall, keyof Subscription>]?: undefined };

/** An operation of any kind. */
export type AnyOperation = AnyCall | AnySubscription;

/** The dependencies of an operation with this input. */
export const dependenciesOf = ({ dependsOn }: Pick<AnyCall, "dependsOn">, input: Record<string, unknown>) =>
  typeof dependsOn === "function" ? dependsOn(input as never) : dependsOn;

/** Whether the responses of an operation have index headers. The dependency on the index does not depend on the input. */
export const readsIndex = (operation: Pick<AnyCall, "dependsOn">): boolean =>
  dependenciesOf(operation, {}).includes("index");

/** The type that rejects unknown names. It parses to the same values. */
const strict = <Input extends z.ZodObject>(input: Input) => input.strict() as z.ZodObject as Input;

/** Defines an operation and infers its TypeScript types from the zod types. Its input has no other names than those of its type. */
export const operation = <
  const Input extends z.ZodObject,
  const Output extends z.ZodType,
  Context extends BaseContext = BaseContext,
>(
  definition: Operation<Input, Output, Context>,
): Operation<Input, Output, Context> => ({ ...definition, input: strict(definition.input) });

/** The same for a subscription. */
export const subscription = <const Input extends z.ZodObject, Context extends BaseContext = BaseContext>(
  definition: Omit<Subscription<Input, Context>, "kind">,
): Subscription<Input, Context> => ({ kind: "subscription", ...definition, input: strict(definition.input) });

/** The whole text about an operation. */
export const textOf = ({ summary, description }: Pick<AnyOperation, "summary" | "description">): string =>
  description === undefined ? summary : `${summary} ${description}`;

export { z };
