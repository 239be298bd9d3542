import { z } from "@hono/zod-openapi";
import type { BaseContext } from "./context";
import type { ErrorStatus } from "./errors";

/** What operations of every kind have. */
type Definition<Input extends z.ZodObject, Context extends BaseContext> = {
  /** The REST route; what its path does not name is the query of a GET and the body of anything else. */
  route: `${"GET" | "POST" | "PUT"} /${string}`;
  /** One sentence for people. */
  summary: string;
  /** Path, query and body as one object. Takes what REST sends (strings) and what a typed client sends (values). */
  input: Input;
  /** Ways to fail other than bad input (400) and faults of ours (500). */
  errors?: readonly ErrorStatus[];
  /** An input that the sample chain of `npm start` answers. */
  example: z.input<Input>;
  /** Parts of the input that REST takes from headers, by the header's name. */
  headers?: Readonly<Record<string, string>>;
  /** Refuses, with BadInput, what this deployment can't serve; before any payment. */
  check?: (context: Context, input: z.output<Input>) => void;
};

/** An operation with one response per request. Every transport derives its handling from the list of operations. */
export type Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Context extends BaseContext = BaseContext,
> = Definition<Input, Context> & {
  kind?: undefined;
  /** Another path by which REST has it. */
  alias?: `/${string}`;
  output: Output;
  /** The status of an answer that is not simply 200. */
  status?: 201 | ((output: z.output<Output>) => 200 | 503);
  /** Whether it changes what is stored: such operations are limited, and may need a token. */
  writes?: boolean;
  /** False where the answer owes nothing to the index; then it does not say up to which block the index was. */
  readsIndex?: false;
  /** Of a helper for development: the sentence with which it is refused (403) elsewhere. */
  development?: string;
  /** Whether its answer is the text of a document, which never changes and is named by the input's `hash`. */
  document?: boolean;
  /** Whether it is paid for: then only the paywall lets it run, and it is nowhere but where the paywall is. */
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
  /** The schema of the data of each message type. */
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

/** Who asks. */
export type Caller = {
  /** The address by which the caller knows this service, without a slash at the end. */
  baseUrl: string;
  /** What the caller's writes are counted under. */
  client: string;
  /** Whether the caller has a token that may write. */
  isKnown: boolean;
};

/** An operation with one response, as the transports see it: its schemas check at run time what its types say here. */
export type AnyCall = Omit<Operation, "run" | "check" | "status" | "example"> & {
  example: Record<string, unknown>;
  status?: 201 | ((output: never) => 200 | 503);
  check?: (context: never, input: never) => void;
  run: (context: never, input: never, caller: Caller) => Promise<unknown>;
};

/** A subscription, as the transports see it. */
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

/** Keeps the types of the schemas while checking the shape. */
export const operation = <
  const Input extends z.ZodObject,
  const Output extends z.ZodType,
  Context extends BaseContext = BaseContext,
>(
  definition: Operation<Input, Output, Context>,
) => definition;

/** The same for a subscription. */
export const subscription = <const Input extends z.ZodObject, Context extends BaseContext = BaseContext>(
  definition: Omit<Subscription<Input, Context>, "kind">,
): Subscription<Input, Context> => ({ kind: "subscription", ...definition });

/** The problems of an input that does not parse, each with the name of the parameter, or of its header, in front. */
export const problemsOf = ({ issues }: z.ZodError, headers: Operation["headers"] = {}) =>
  issues.map(({ path, message }) => {
    const name = path.join(".");
    const header = Object.entries(headers).find(([, part]) => part === name)?.[0];
    return name === "" ? message : `${header ?? name}: ${message}`;
  });

export { z };
