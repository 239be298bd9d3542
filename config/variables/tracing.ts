import { httpUrl } from "../values";
import type { VariableGroup } from "../variable";

export const tracing = {
  title: "Traces",
  note: "The gateway also reads the other standard variables of OpenTelemetry, such as OTEL_EXPORTER_OTLP_HEADERS, OTEL_TRACES_SAMPLER and OTEL_RESOURCE_ATTRIBUTES.",
  variables: {
    OTEL_EXPORTER_OTLP_ENDPOINT: {
      property: "tracesEndpoint",
      type: httpUrl,
      computedDefault: "no traces",
      description:
        "URL of an OpenTelemetry collector (OTLP over HTTP), such as `http://127.0.0.1:4318`. The gateway exports a trace of each request to `/v1/traces` below it.",
    },
  },
} as const satisfies VariableGroup;
