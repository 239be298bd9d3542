import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Hono } from "hono";
import { html } from "hono/html";
import { callerOf } from "../http/caller";
import type { Env } from "../http/log";
import type { Context } from "../operations/context";
import { llmsFull, llmsIndex } from "./llms";
import { openApiDocument } from "./openapi";
import { answer, refuseOtherMethods } from "./rest/routes";

const SCRIPT = "/docs/reference.js";

/** Everything the page needs comes from here; the browser is told so, and refuses anything else. */
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

/** The settings of Scalar's reference: what it would fetch from its makers, or offer of theirs, is off. */
const settings = {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: "never",
  // Every route is to be seen, and found with the browser's own search.
  defaultOpenAllTags: true,
  operationTitleSource: "path",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  orderSchemaPropertiesBy: "preserve",
};

/** Without an inline script, which the policy would refuse: the reference reads its settings from the attribute. */
const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Intentry API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <noscript>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> says the same.</noscript>
    <script id="api-reference" data-configuration="${JSON.stringify(settings)}"></script>
    <script src="${SCRIPT}"></script>
  </body>
</html>`;

const scriptFile = createRequire(import.meta.url)
  .resolve("@scalar/api-reference")
  .replace(/dist\/.*$/, "dist/browser/standalone.js");

const MARKDOWN = "text/plain; charset=UTF-8";

/** The OpenAPI document, an interactive reference made of it, and the same for language models. */
export function docsRoutes({ config }: Context): Hono<Env> {
  const document = JSON.stringify(openApiDocument());
  let script: Promise<Buffer> | undefined;
  const routes = new Hono<Env>();
  routes.get("/openapi.json", (c) => answer(c, document));
  routes.get("/docs", (c) =>
    answer(c, String(page), "text/html; charset=UTF-8", { "content-security-policy": POLICY }),
  );
  routes.get(SCRIPT, async (c) => {
    script ??= readFile(scriptFile);
    return answer(c, new Uint8Array(await script), "text/javascript; charset=UTF-8", {
      "cache-control": "public, max-age=86400",
    });
  });
  routes.get("/llms.txt", (c) => answer(c, llmsIndex(callerOf(c, config).baseUrl), MARKDOWN));
  routes.get("/llms-full.txt", (c) => answer(c, llmsFull(callerOf(c, config).baseUrl), MARKDOWN));
  for (const path of ["/openapi.json", "/docs", SCRIPT, "/llms.txt", "/llms-full.txt"])
    refuseOtherMethods(routes, path, ["GET"]);
  return routes;
}
