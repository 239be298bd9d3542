import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { findProgram, run } from "../support/programs";
import { firing, healthy, minutesUntil } from "./alert-cases";
import { alerts } from "./alerts";
import { anchorOf } from "./anchors";
import { dashboardQueries as queries } from "./dashboard";
import { deployPath, projectRoot } from "./files";
import { gatewayMetrics, knownSeries, seriesIn } from "./metric-names";

/** The text below the heading of each anchor of docs/operations.md, up to the next heading. */
const sections = new Map(
  readFileSync(join(projectRoot, "docs/operations.md"), "utf8")
    .split(/^#+ /m)
    .map((section) => {
      const [heading = "", ...text] = section.split("\n");
      return [anchorOf(heading), text.join("\n").trim()];
    }),
);

describe("seriesIn", () => {
  it("finds the series of a query, and no functions, labels or durations", () => {
    const query =
      'histogram_quantile(0.99, sum by (le) (rate(a_bucket{b="c"}[5m] offset 1d))) > 1 and on (d) up == 1e3 or absent(e)';
    expect(seriesIn(query)).toEqual(["a_bucket", "up", "e"]);
  });
});

describe("the alerts", () => {
  it.each(alerts)("use known metrics: $alert", ({ expr }) => {
    const used = seriesIn(expr);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !knownSeries.has(name))).toEqual([]);
  });

  it.each(alerts)("have an entry in the runbook: $alert", ({ annotations }) => {
    const [file, anchor = ""] = annotations.runbook_url.split("#");
    expect(file).toBe("docs/operations.md");
    expect(anchor).toMatch(/^alert-/);
    expect(sections.get(anchor)?.length ?? 0, anchor).toBeGreaterThan(100);
  });

  it("are all of the runbook's entries", () => {
    const anchors = alerts.map(({ annotations }) => annotations.runbook_url.split("#")[1]);
    expect([...sections.keys()].filter((anchor) => anchor.startsWith("alert-")).sort()).toEqual(anchors.sort());
  });

  it("have a case in which they fire", () => {
    expect(Object.keys(firing).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  });
});

describe("the dashboard", () => {
  it.each(queries)("uses known metrics: $title", ({ expr }) => {
    const used = seriesIn(expr);
    expect(used.length).toBeGreaterThan(0);
    expect(used.filter((name) => !knownSeries.has(name))).toEqual([]);
  });

  it("shows every metric of the gateway, or has an alert on it", () => {
    const used = new Set([...queries, ...alerts].flatMap(({ expr }) => seriesIn(expr)));
    expect(gatewayMetrics().filter((name) => !used.has(name))).toEqual([]);
  });
});

const promtool = findProgram("promtool");

describe.skipIf(!promtool)("promtool", () => {
  const folder = mkdtempSync(join(tmpdir(), "intentry-promtool-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, content: unknown) => {
    const file = join(folder, name);
    writeFileSync(file, stringify(content));
    return file;
  };

  it("accepts prometheus.yml and the rules", () => {
    const { status, output } = run(promtool ?? "", ["check", "config", deployPath("prometheus/prometheus.yml")]);
    expect(output).toContain(`${alerts.length} rules found`);
    expect(status).toBe(0);
  });

  it("accepts the queries of the dashboard", () => {
    const rules = queries.map(({ expr }, index) => ({
      record: `query_${index}`,
      expr: expr.replaceAll("$instance", ".*"),
    }));
    const file = write("dashboard.yml", { groups: [{ name: "dashboard", rules }] });
    const { status, output } = run(promtool ?? "", ["check", "rules", file]);
    expect(status, output).toBe(0);
  });

  it("fires each alert in its case, and none for a healthy service", () => {
    const expectation = (alert: string, fires: boolean) => ({
      expr: `count(ALERTS{alertstate="firing"${alert && `,alertname="${alert}"`}})`,
      eval_time: `${minutesUntil(alert)}m`,
      exp_samples: fires ? [{ labels: "{}", value: 1 }] : [],
    });
    const test = (series: Record<string, string | null>, alert: string, fires: boolean) => ({
      interval: "1m",
      input_series: Object.entries(series).flatMap(([name, values]) =>
        values === null ? [] : [{ series: name, values }],
      ),
      promql_expr_test: [expectation(alert, fires)],
    });
    const file = write("alerts.yml", {
      rule_files: [deployPath("prometheus/alerts.yml")],
      evaluation_interval: "5m",
      tests: [
        test(healthy, "", false),
        ...Object.entries(firing).map(([alert, changes]) => test({ ...healthy, ...changes }, alert, true)),
      ],
    });
    const { status, output } = run(promtool ?? "", ["test", "rules", file]);
    expect(output).toContain("SUCCESS");
    expect(status).toBe(0);
  });
});
