import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const Value = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  boolValue: z.boolean().optional(),
});

const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((list) =>
    Object.fromEntries(
      list.map(({ key, value: { stringValue, intValue, boolValue } }) => [
        key,
        stringValue ?? boolValue ?? (intValue === undefined ? undefined : Number(intValue)),
      ]),
    ),
  );

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  /** 1: internal, 2: server, 3: client. */
  kind: z.number(),
  startTimeUnixNano: z.string(),
  endTimeUnixNano: z.string(),
  attributes: Attributes,
  status: z.object({ code: z.number().optional() }).default({}),
});

/** An ExportTraceServiceRequest in OTLP's JSON encoding. */
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

/** A received span, with the attributes of the process that sent it. */
export type ReceivedSpan = z.output<typeof Span> & { resource: z.output<typeof Attributes> };

/** Starts a collector that receives traces by OTLP over HTTP. */
export async function startTraceCollector() {
  const spans: ReceivedSpan[] = [];
  const headers: Record<string, unknown>[] = [];
  const start = async (port: number): Promise<Server> => {
    const server = createServer(async (request, response) => {
      let text = "";
      for await (const chunk of request) text += chunk;
      if (request.url !== "/v1/traces") return response.writeHead(404).end();
      headers.push(request.headers);
      for (const { resource, scopeSpans } of Export.parse(JSON.parse(text)).resourceSpans)
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({ ...span, resource: resource.attributes });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    return server;
  };
  let server = await start(0);
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${port}`,
    /** All received spans. */
    spans,
    /** The headers of all exports. */
    headers,
    /** The received spans of a trace. */
    trace: (traceId: string) => spans.filter((span) => span.traceId === traceId),
    /** Closes the port. */
    stop,
    /** Opens the same port again. */
    async restart() {
      server = await start(port);
    },
  };
}
