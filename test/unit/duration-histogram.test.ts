import fc from "fast-check";
import { Histogram, Registry, register } from "prom-client";
import { describe, expect, it } from "vitest";
import { DurationHistogram } from "../../api/metrics/duration-histogram";

const BUCKETS = [0.001, 0.25, 5];

describe("DurationHistogram", () => {
  it("exports what prom-client's histogram exports", async () => {
    const name = "test_duration_seconds";
    const ours = new DurationHistogram({ name, help: "A test.", buckets: BUCKETS });
    const seconds = fc.oneof(fc.constantFrom(...BUCKETS, 0), fc.double({ min: 0, max: 10, noNaN: true }));
    const requests = fc.array(fc.tuple(fc.constantFrom("agents.get", 'x"\\'), fc.constantFrom(200, 404), seconds));
    await fc.assert(
      fc.asyncProperty(requests, async (observed) => {
        const registry = new Registry();
        const labelNames = ["operation", "status"] as const;
        const theirs = new Histogram({ name, help: "A test.", labelNames, buckets: BUCKETS, registers: [registry] });
        ours.reset();
        for (const [operation, status, duration] of observed) {
          ours.observe(operation, status, duration);
          theirs.observe({ operation, status }, duration);
        }
        const sorted = (text: string) => text.trim().split("\n").sort();
        expect(sorted(await register.getSingleMetricAsString(name))).toEqual(sorted(await registry.metrics()));
      }),
      { numRuns: 50 },
    );
    register.removeSingleMetric(name);
  });
});
