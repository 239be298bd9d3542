import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Hono } from "hono";
import { html } from "hono/html";
import { callerOf } from "../http/caller";
import { JSON_TYPE } from "../http/common-headers";
import type { Env } from "../http/log";
import { StaticContent } from "../http/static-content";
import type { Context } from "../operations/context";
import { llmsFull, llmsIndex } from "./llms";
import { openApiDocument } from "./openapi";
import { rejectOtherMethods } from "./rest/routes";

const SCRIPT = "/docs/reference.js";

/** The Content-Security-Policy of /docs. The page loads nothing from other origins. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Scalar's settings. Requests to Scalar's servers and links to its products are disabled. */
const settings = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  // Shows all routes, so that the browser's search finds them.
  defaultOpenAllTags: true,
  operationTitleSource: "path",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  orderSchemaPropertiesBy: "preserve",
};

/** The policy blocks inline scripts, so Scalar reads its settings from the attribute. */
const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Intentry API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <noscript>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> has the same content.</noscript>
    <script id="api-reference" data-configuration="${JSON.stringify(settings)}"></script>
    <script src="${SCRIPT}"></script>
  </body>
</html>`;

const scriptFile = createRequire(import.meta.url)
  .resolve("@scalar/api-reference")
  .replace(/dist\/.*$/, "dist/browser/standalone.js");

const MARKDOWN = "text/plain; charset=UTF-8";
const HTML = "text/html; charset=UTF-8";
const JAVASCRIPT = "text/javascript; charset=UTF-8";

/** Without `PUBLIC_BASE_URL` the client's Host header determines the base URL, so only some are kept. */
const MAX_BASE_URLS = 4;

/** Creates content for a base URL, and keeps it for the last few. */
function perBaseUrl(create: (baseUrl: string) => StaticContent): (baseUrl: string) => StaticContent {
  const kept = new Map<string, StaticContent>();
  return (baseUrl) => {
    const content = kept.get(baseUrl) ?? create(baseUrl);
    kept.delete(baseUrl);
    kept.set(baseUrl, content);
    const [oldest] = kept.keys();
    if (kept.size > MAX_BASE_URLS && oldest !== undefined) kept.delete(oldest);
    return content;
  };
}

/** Serves the OpenAPI document, an interactive reference, and llms.txt. */
export function docsRoutes({ config }: Context): Hono<Env> {
  let document: StaticContent | undefined;
  const reference = new StaticContent(String(page), HTML, { "content-security-policy": POLICY });
  const readScript = async () =>
    new StaticContent(await readFile(scriptFile), JAVASCRIPT, { "cache-control": "public, max-age=86400" });
  let script: Promise<StaticContent> | undefined;
  const routes = new Hono<Env>();
  routes.get("/openapi.json", (c) => {
    document ??= new StaticContent(JSON.stringify(openApiDocument()), JSON_TYPE);
    return document.respond(c);
  });
  routes.get("/docs", (c) => reference.respond(c));
  routes.get(SCRIPT, async (c) => {
    script ??= readScript();
    return (await script).respond(c);
  });
  for (const [path, contentFor] of [
    ["/llms.txt", llmsIndex],
    ["/llms-full.txt", llmsFull],
  ] as const) {
    const textFor = perBaseUrl((baseUrl) => new StaticContent(contentFor(baseUrl), MARKDOWN));
    routes.get(path, (c) => textFor(callerOf(c, config).baseUrl).respond(c));
  }
  for (const path of ["/openapi.json", "/docs", SCRIPT, "/llms.txt", "/llms-full.txt"])
    rejectOtherMethods(routes, path, ["GET"]);
  return routes;
}
