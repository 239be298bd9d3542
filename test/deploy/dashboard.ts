import { z } from "zod";
import { readDeploy } from "./files";

const Dashboard = z.looseObject({
  uid: z.string(),
  panels: z.array(
    z.looseObject({ title: z.string(), targets: z.array(z.looseObject({ expr: z.string() })).default([]) }),
  ),
});

/** The queries of the dashboard, with the titles of their panels. */
export const dashboardQueries = Dashboard.parse(JSON.parse(readDeploy("grafana/intentry.json"))).panels.flatMap(
  ({ title, targets }) => targets.map(({ expr }) => ({ title, expr })),
);
