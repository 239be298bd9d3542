import { z } from "zod";
import { readYaml } from "./files";

const Alert = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(["critical", "warning", "info"]) }),
  annotations: z.strictObject({
    summary: z.string().min(10),
    description: z.string().min(20),
    runbook_url: z.string(),
  }),
});

const Rules = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Alert) })) });

/** The alert rules. Throws if a rule lacks a label or an annotation. */
export const alerts = Rules.parse(readYaml("prometheus/alerts.yml")[0]).groups.flatMap(({ rules }) => rules);
