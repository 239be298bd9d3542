import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { SpanExporter } from "@opentelemetry/sdk-trace-base";
import type { Logger } from "pino";
import type { Annotate, Tracer } from "./span";

type Options = {
  /** The route of an operation, such as `/agents/{agentId}`; undefined for other requests. */
  routeOf: (operation: string) => string | undefined;
  log: Logger;
};

/** The longest path in a span. */
const MAX_PATH_CHARACTERS = 200;

/** ExportResultCode.SUCCESS of the SDK. */
const SUCCESS = 0;

/** Reports the first failed export of a series, and the next success. A collector that is away never fails a request. */
function reportFailures(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const hasFailed = result.code !== SUCCESS;
        if (hasFailed && !isFailing)
          log.warn(
            { reason: result.error?.message },
            "traces can't be exported to OTEL_EXPORTER_OTLP_ENDPOINT and are dropped until that succeeds",
          );
        if (!hasFailed && isFailing) log.info("traces are exported again");
        isFailing = hasFailed;
        done(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}

/** Creates a provider that exports spans in batches, and the propagator of W3C trace contexts. Loads the SDK. */
async function loadSdk({ log }: Options) {
  const [{ W3CTraceContextPropagator }, { OTLPTraceExporter }, resources, { BasicTracerProvider, BatchSpanProcessor }] =
    await Promise.all([
      import("@opentelemetry/core"),
      import("@opentelemetry/exporter-trace-otlp-http"),
      import("@opentelemetry/resources"),
      import("@opentelemetry/sdk-trace-base"),
    ]);
  const { defaultResource, detectResources, envDetector, resourceFromAttributes } = resources;
  // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES replace these.
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "intentry", "process.pid": process.pid }))
    .merge(detectResources({ detectors: [envDetector] }));
  const spanProcessors = [new BatchSpanProcessor(reportFailures(new OTLPTraceExporter(), log))];
  return {
    provider: new BasicTracerProvider({ resource, spanProcessors }),
    propagator: new W3CTraceContextPropagator(),
  };
}

/** The type of an error: its SQLSTATE or system code, or its class. Its message may contain keys. */
const errorType = (error: unknown): string => {
  if (!(error instanceof Error)) return typeof error;
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};

/** The current span, and the request that it belongs to. */
type Current = { context: Context; request: Span; method: string };

/**
 * Exports traces with OpenTelemetry's SDK, which reads the standard variables: OTEL_EXPORTER_OTLP_*, OTEL_TRACES_SAMPLER,
 * OTEL_RESOURCE_ATTRIBUTES, OTEL_BSP_*. A request's span ends with its response, so that a stream has no endless span, and
 * work that goes on after it, such as the reader of the event log, adds none.
 */
export async function createTracer(options: Options): Promise<Tracer & { stop: () => Promise<void> }> {
  const { routeOf } = options;
  const { provider, propagator } = await loadSdk(options);
  const tracer = provider.getTracer("intentry");
  const storage = new AsyncLocalStorage<Current>();

  const startRequest = ({ method = "", url = "", headers }: IncomingMessage): Current => {
    const parent = propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const path = url.split("?", 1)[0] ?? "";
    const attributes = { "http.request.method": method, "url.path": path.slice(0, MAX_PATH_CHARACTERS) };
    const request = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent);
    return { context: trace.setSpan(parent, request), request, method };
  };

  return {
    serve(incoming, response, run) {
      const current = startRequest(incoming);
      // A request that is not logged, because serving it failed.
      response.once("close", () => {
        if (!current.request.isRecording()) return;
        if (response.headersSent) current.request.setAttribute("http.response.status_code", response.statusCode);
        current.request.end();
      });
      return storage.run(current, run);
    },
    endRequest({ requestId, operation, status }) {
      const { request, method } = storage.getStore() ?? {};
      if (!request?.isRecording()) return;
      const route = routeOf(operation);
      if (route !== undefined) request.updateName(`${method} ${route}`).setAttribute("http.route", route);
      request.setAttributes({
        "intentry.operation": operation,
        "intentry.request_id": requestId,
        "http.response.status_code": status,
      });
      if (status >= 500) request.setStatus({ code: SpanStatusCode.ERROR });
      request.end();
    },
    annotateRequest: (attributes) => {
      storage.getStore()?.request.setAttributes(attributes);
    },
    async run({ name, isCall = false, attributes = {} }, run) {
      const current = storage.getStore();
      if (!current?.request.isRecording()) return run(() => {});
      const kind = isCall ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const span = tracer.startSpan(name, { kind, attributes }, current.context);
      const annotate: Annotate = (more) => {
        span.setAttributes(more);
      };
      try {
        return await storage.run({ ...current, context: trace.setSpan(current.context, span) }, () => run(annotate));
      } catch (error) {
        span.setAttribute("error.type", errorType(error)).setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
    headers() {
      const headers: Record<string, string> = {};
      const current = storage.getStore();
      if (current) propagator.inject(current.context, headers, defaultTextMapSetter);
      return headers;
    },
    traceId: () => storage.getStore()?.request.spanContext().traceId,
    stop: () => provider.shutdown(),
  };
}
