import type { IncomingMessage, ServerResponse } from "node:http";

/** Attributes of a span. They must contain neither secrets nor messages of errors, which may quote URLs with keys. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** One step of a request. */
export type Step = {
  name: string;
  /** Whether it is a call to another service. */
  isCall?: boolean;
  attributes?: Attributes;
};

/** Adds attributes to the span of a step. */
export type Annotate = (attributes: Attributes) => void;

/** A request after its response. */
export type ServedRequest = { requestId: string; operation: string; status: number };

/** Records spans: see open-telemetry.ts. */
export type Tracer = {
  serve: <Result>(request: IncomingMessage, response: ServerResponse, run: () => Result) => Result;
  endRequest: (served: ServedRequest) => void;
  annotateRequest: Annotate;
  run: <Result>(step: Step, run: (annotate: Annotate) => Promise<Result>) => Promise<Result>;
  headers: () => Record<string, string>;
  traceId: () => string | undefined;
};

let tracer: Tracer | undefined;

/** Records the spans of this process with a tracer; undefined for none. */
export function useTracer(next: Tracer | undefined): void {
  tracer = next;
}

/** Serves a request of Node's server in a span of its own. What it starts belongs to the request. */
export const traceRequest = <Result>(
  { incoming, outgoing }: { incoming?: IncomingMessage; outgoing?: ServerResponse },
  serve: () => Result,
): Result => (tracer && incoming && outgoing ? tracer.serve(incoming, outgoing, serve) : serve());

/** Ends the span of the current request with its outcome. */
export const endRequestSpan = (served: ServedRequest): void => tracer?.endRequest(served);

/** Adds attributes to the span of the current request. */
export const annotateRequest = (attributes: Attributes): void => tracer?.annotateRequest(attributes);

const ignore: Annotate = () => {};

/** Runs a step of the current request in a span. Outside of a request, and after its response, it runs without a span. */
export const traceStep = <Result>(step: Step, run: (annotate: Annotate) => Promise<Result>): Promise<Result> =>
  tracer ? tracer.run(step, run) : run(ignore);

/** Whether steps are recorded, for callers whose description of a step takes time. */
export const isTracing = (): boolean => tracer !== undefined;

/** The W3C trace context of the current span, for a request to another service. Empty without one. */
export const traceHeaders = (): Record<string, string> => tracer?.headers() ?? {};

/** The field of log lines with the current trace's id. Empty without one. */
export function traceIdField(): Record<string, string> {
  const id = tracer?.traceId();
  return id === undefined ? {} : { trace_id: id };
}
