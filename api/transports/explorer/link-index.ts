import { allOperations } from "../../operations/index";
import { routeOf } from "../rest/route";

/** The links of the service, for programs that request `/`. */
export const linkIndex = (baseUrl: string) => ({
  name: "Intentry",
  documentation: {
    openapi: `${baseUrl}/openapi.json`,
    reference: `${baseUrl}/docs`,
    llms: `${baseUrl}/llms.txt`,
    llms_full: `${baseUrl}/llms-full.txt`,
  },
  transports: {
    trpc: `${baseUrl}/trpc`,
    mcp: `${baseUrl}/mcp`,
    events: `${baseUrl}/events`,
  },
  explorer: `${baseUrl}/`,
  sitemap: `${baseUrl}/sitemap.xml`,
  routes: allOperations.map(({ operation }) => {
    const { method, path } = routeOf(operation);
    return { method, url: `${baseUrl}${path}`, summary: operation.summary };
  }),
});
