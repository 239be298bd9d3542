import { z } from "@hono/zod-openapi";
import type { BaseContext } from "./context";
import type { ErrorStatus } from "./errors";

/** An operation of the service. REST, tRPC, MCP and the documentation are derived from it. */
export type Operation<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
  Context extends BaseContext = BaseContext,
> = {
  /** The REST route. Input that is not in the path comes from the query (GET) or the body (other methods). */
  route: `${"GET" | "POST" | "PUT"} /${string}`;
  /** An additional REST path. */
  alias?: `/${string}`;
  /** One sentence for the documentation. */
  summary: string;
  /** Path, query and body as one object. Accepts strings (REST) and typed values (tRPC, MCP). */
  input: Input;
  output: Output;
  /** Error statuses other than 400 and 500. */
  errors?: readonly ErrorStatus[];
  /** An input that succeeds on the sample chain of `npm start`. */
  example: z.input<Input>;
  /** The success status. Default: 200. */
  status?: 201 | ((output: z.output<Output>) => 200 | 503);
  /** Input fields that REST reads from headers, by header name. */
  headers?: Readonly<Record<string, string>>;
  /** Whether it writes to the store. Writes are rate limited and may require a token. */
  writes?: boolean;
  /** False if the output does not depend on the index. Responses then have no index headers. */
  readsIndex?: false;
  /** Marks a development helper: the 403 message if `devHelpers` is off. */
  development?: string;
  /** Whether the output is the text of a document. It is immutable and identified by the input's `hash`. */
  document?: boolean;
  /** Whether it requires payment. Only the paywall can run it, and only the paid REST route serves it. */
  paid?: true;
  /** Throws BadInput for input that this deployment can't serve. Runs before any payment. */
  check?: (context: Context, input: z.output<Input>) => void;
  run: (context: Context, input: z.output<Input>, caller: Caller) => Promise<z.input<Output>>;
};

/** The client of one request. */
export type Caller = {
  /** The public URL of this service, without a trailing slash. */
  baseUrl: string;
  /** The rate-limit key. */
  client: string;
  /** Whether the request has a valid write token. */
  hasWriteToken: boolean;
};

/** An operation with erased types, for the transports. Its schemas validate input and output at run time. */
export type AnyOperation = Omit<Operation, "run" | "check" | "status" | "example"> & {
  example: Record<string, unknown>;
  status?: 201 | ((output: never) => 200 | 503);
  check?: (context: never, input: never) => void;
  run: (context: never, input: never, caller: Caller) => Promise<unknown>;
};

/** Defines an operation and infers its types from the schemas. */
export const operation = <
  const Input extends z.ZodObject,
  const Output extends z.ZodType,
  Context extends BaseContext = BaseContext,
>(
  definition: Operation<Input, Output, Context>,
) => definition;

/** Validation messages, each prefixed with the name of the parameter or header. */
export const problemsOf = ({ issues }: z.ZodError, headers: Operation["headers"] = {}) =>
  issues.map(({ path, message }) => {
    const name = path.join(".");
    const header = Object.entries(headers).find(([, part]) => part === name)?.[0];
    return name === "" ? message : `${header ?? name}: ${message}`;
  });

export { z };
