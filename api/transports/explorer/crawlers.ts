import { Hono } from "hono";
import { iconText } from "../../../explorer/document";
import { links } from "../../../explorer/links";
import { type Env, reply } from "../../http/reply";
import { compressedReply, StaticContent } from "../../http/static-content";
import type { Context } from "../../operations/context";
import { rejectOtherMethods } from "../rest/routes";
import { PICTURE_POLICY } from "./policy";
import { readsOf } from "./reads";
import { createSitemap, formPaths } from "./sitemap";

const SITEMAP = "/sitemap.xml";
const HOUR = { "cache-control": "public, max-age=3600" };
const DAY = { "cache-control": "public, max-age=86400" };

/** What crawlers should leave out: forms, and endpoints that are not pages. */
const excluded = [...formPaths, "/portfolio", "/trpc", "/mcp", "/events"];

const robots = (baseUrl: string) =>
  ["User-agent: *", ...excluded.map((path) => `Disallow: ${path}`), "", `Sitemap: ${baseUrl}${SITEMAP}`, ""].join("\n");

/** Serves what browsers and crawlers request without a link: the icon, `robots.txt` and the sitemap. */
export function crawlerRoutes(context: Context): Hono<Env> {
  const routes = new Hono<Env>();
  const icon = new StaticContent(iconText(), "image/svg+xml", { ...DAY, "content-security-policy": PICTURE_POLICY });
  // Browsers request /favicon.ico for JSON, and accept any format.
  const icons = [links.icon, "/favicon.ico"];
  for (const path of icons)
    routes.get(path, (c) => {
      c.set("operation", "explorer");
      return icon.respond(c);
    });
  routes.get("/robots.txt", async (c) => {
    c.set("operation", "explorer");
    return reply(c, await compressedReply(c, robots(c.var.caller.baseUrl), "text/plain; charset=UTF-8", HOUR));
  });
  const sitemap = createSitemap();
  routes.get(SITEMAP, async (c) => {
    c.set("operation", "explorer");
    const { caller } = c.var;
    const xml = await sitemap(readsOf(context, caller), caller.baseUrl);
    return reply(c, await compressedReply(c, xml, "application/xml; charset=UTF-8", HOUR));
  });
  for (const path of [...icons, "/robots.txt", SITEMAP]) rejectOtherMethods(routes, path, ["GET"]);
  return routes;
}
