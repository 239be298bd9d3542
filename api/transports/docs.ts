import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Hono } from "hono";
import { html } from "hono/html";
import { callerOf } from "../http/caller";
import type { Env } from "../http/log";
import type { Context } from "../operations/context";
import { llmsFull, llmsIndex } from "./llms";
import { openApiDocument } from "./openapi";
import { rejectOtherMethods, respond } from "./rest/routes";

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

/** Serves the OpenAPI document, an interactive reference, and llms.txt. */
export function docsRoutes({ config }: Context): Hono<Env> {
  const document = JSON.stringify(openApiDocument());
  let script: Promise<Buffer> | undefined;
  const routes = new Hono<Env>();
  routes.get("/openapi.json", (c) => respond(c, document));
  routes.get("/docs", (c) =>
    respond(c, String(page), "text/html; charset=UTF-8", { "content-security-policy": POLICY }),
  );
  routes.get(SCRIPT, async (c) => {
    script ??= readFile(scriptFile);
    return respond(c, new Uint8Array(await script), "text/javascript; charset=UTF-8", {
      "cache-control": "public, max-age=86400",
    });
  });
  routes.get("/llms.txt", (c) => respond(c, llmsIndex(callerOf(c, config).baseUrl), MARKDOWN));
  routes.get("/llms-full.txt", (c) => respond(c, llmsFull(callerOf(c, config).baseUrl), MARKDOWN));
  for (const path of ["/openapi.json", "/docs", SCRIPT, "/llms.txt", "/llms-full.txt"])
    rejectOtherMethods(routes, path, ["GET"]);
  return routes;
}
