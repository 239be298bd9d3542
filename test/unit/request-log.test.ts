import fc from "fast-check";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { logRequest } from "../../api/http/log";
import { truncatePath } from "../../api/http/path";
import { type Tracer, useTracer } from "../../api/tracing/span";

/** A log whose lines are kept. */
function createLog(level = "info") {
  const lines: string[] = [];
  const log = pino({ level }, { write: (line: string) => lines.push(line) }).child({ worker: 3 });
  return { log, lines };
}

const request = { requestId: "id-1", method: "GET", path: "/agents/1", operation: "agents.get", status: 200 };

describe("the line of a request", () => {
  it("is the one that pino would write, for any path", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (path) => {
        const { log, lines } = createLog();
        logRequest(log, { ...request, path, start: performance.now() });
        log.info({ request_id: "id-1", method: "GET", path: truncatePath(path), status: 200, ms: 0 }, "request");
        const [written, expected] = lines.map((line) => JSON.parse(line));
        expect({ ...written, time: 0, ms: 0 }).toEqual({ ...expected, time: 0 });
        expect(Object.keys(written)).toEqual(Object.keys(expected));
        expect(written.time).toBeGreaterThan(expected.time - 1_000);
        expect(lines[0]).toMatch(/}\n$/);
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
    const { log, lines } = createLog();
    useTracer({ traceId: () => "0af7651916cd43dd8448eb211c80319c", endRequest: () => {} } as unknown as Tracer);
    try {
      logRequest(log, { ...request, start: performance.now() });
    } finally {
      useTracer(undefined);
    }
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ trace_id: "0af7651916cd43dd8448eb211c80319c", msg: "request" });
  });

  it("is not written if the level is higher", () => {
    const { log, lines } = createLog("warn");
    logRequest(log, { ...request, start: performance.now() });
    expect(lines).toEqual([]);
  });
});
