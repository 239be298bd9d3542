import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { Scalar } from "@scalar/hono-api-reference";
import { Hono } from "hono";
import type { Env } from "../http/log";
import { openApiDocument } from "./openapi";
import { answer } from "./rest";

const SCRIPT = "/docs/reference.js";

/** Everything the page needs comes from here; the browser is told so, and refuses anything else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
].join("; ");

const scriptFile = createRequire(import.meta.url)
  .resolve("@scalar/api-reference")
  .replace(/dist\/.*$/, "dist/browser/standalone.js");

/** The OpenAPI document and an interactive reference made of it. */
export function docsRoutes(): Hono<Env> {
  const document = JSON.stringify(openApiDocument());
  let script: Promise<Buffer> | undefined;
  const routes = new Hono<Env>();
  routes.get("/openapi.json", (c) => answer(c, document));
  routes.use("/docs", async (c, next) => {
    await next();
    c.header("content-security-policy", POLICY);
  });
  routes.get(
    "/docs",
    Scalar({
      url: "/openapi.json",
      cdn: SCRIPT,
      pageTitle: "Intentry API",
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: "never",
    }),
  );
  routes.get(SCRIPT, async (c) => {
    script ??= readFile(scriptFile);
    return c.body(new Uint8Array(await script), 200, {
      "content-type": "text/javascript; charset=UTF-8",
      "cache-control": "public, max-age=86400",
    });
  });
  return routes;
}
