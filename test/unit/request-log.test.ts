import fc from "fast-check";
import { register } from "prom-client";
import { afterEach, describe, expect, it } from "vitest";
import { openLog } from "../../api/http/open-log";
import { logRequest, truncatePath } from "../../api/http/reply";
import { withRequestId } from "../../api/telemetry/request-id";
import { type Tracer, useTracer } from "../../api/telemetry/span";
import { anyText } from "../support/any-text";

/** A log whose lines are kept. */
function createLog({ logLevel = "info" as const, tracesEndpoint }: Partial<Parameters<typeof openLog>[0]> = {}) {
  const lines: string[] = [];
  const log = openLog({ logLevel, tracesEndpoint }, { write: (line) => lines.push(line) }).child({ worker: 3 });
  return { log, lines };
}

const request = { requestId: "id-1", method: "GET", path: "/agents/1", operation: "agents.get", status: 200 };

describe("the line of a request", () => {
  it("has these fields in this order", () => {
    const { log, lines } = createLog();
    const write = () => logRequest(log, { ...request, start: performance.now() });
    write();
    // The log adds the id to other lines of the request.
    withRequestId("id-1", write);
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toMatch(/}\n$/);
      const fields = JSON.parse(line);
      const names = [
        "level",
        "time",
        "pid",
        "hostname",
        "worker",
        "request_id",
        "method",
        "path",
        "status",
        "ms",
        "msg",
      ];
      expect(Object.keys(fields)).toEqual(names);
      expect(line.match(/request_id/g)).toHaveLength(1);
      expect(fields).toMatchObject({ level: 30, worker: 3, request_id: "id-1", method: "GET", path: "/agents/1" });
      expect(fields).toMatchObject({ status: 200, ms: expect.any(Number), msg: "request" });
    }
  });

  it("is one line of JSON for any path", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (path) => {
        const { log, lines } = createLog();
        logRequest(log, { ...request, path, start: performance.now() });
        expect(lines).toHaveLength(1);
        expect(lines[0]?.indexOf("\n")).toBe((lines[0]?.length ?? 0) - 1);
        expect(JSON.parse(lines[0] ?? "").path).toBe(truncatePath(path));
      }),
    );
  });

  it("has the time in milliseconds with one digit after the point", () => {
    const { log, lines } = createLog();
    logRequest(log, { ...request, start: performance.now() - 12.34 });
    const { ms } = JSON.parse(lines[0] ?? "");
    expect(ms).toBeGreaterThanOrEqual(12.3);
    expect(ms * 10).toBeCloseTo(Math.round(ms * 10), 6);
  });

  it("has the trace's id, if the request is traced", () => {
    const { log, lines } = createLog({ tracesEndpoint: "http://127.0.0.1:4318" });
    useTracer({ traceId: () => "0af7651916cd43dd8448eb211c80319c", endRequest: () => {} } as unknown as Tracer);
    try {
      logRequest(log, { ...request, start: performance.now() });
    } finally {
      useTracer(undefined);
    }
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ trace_id: "0af7651916cd43dd8448eb211c80319c", msg: "request" });
  });

  it("is not written if the level is higher", () => {
    const { log, lines } = createLog({ logLevel: "warn" });
    logRequest(log, { ...request, start: performance.now() });
    expect(lines).toEqual([]);
  });
});

describe("the duration of a request", () => {
  afterEach(() => register.resetMetrics());

  it("is counted by operation and status", async () => {
    register.resetMetrics();
    const { log } = createLog();
    for (const [status, seconds] of [
      [200, 0.003],
      [200, 0.2],
      [404, 60],
    ] as const)
      logRequest(log, { ...request, status, start: performance.now() - seconds * 1000 });
    const name = "intentry_request_duration_seconds";
    const samples = (await register.getSingleMetricAsString(name)).split("\n");
    const labels = (status: number) => `operation="agents.get",status="${status}"`;
    expect(samples).toEqual(
      expect.arrayContaining([
        `# TYPE ${name} histogram`,
        `${name}_bucket{le="0.0025",${labels(200)}} 0`,
        `${name}_bucket{le="0.1",${labels(200)}} 1`,
        `${name}_bucket{le="1",${labels(200)}} 2`,
        `${name}_bucket{le="+Inf",${labels(200)}} 2`,
        `${name}_count{${labels(200)}} 2`,
        `${name}_bucket{le="15",${labels(404)}} 0`,
        `${name}_bucket{le="+Inf",${labels(404)}} 1`,
        `${name}_count{${labels(404)}} 1`,
      ]),
    );
  });
});
