import { Hono } from "hono";
import type { Assets } from "../../explorer/document";
import { renderReference } from "../../explorer/reference/page";
import { type Env, JSON_TYPE } from "../http/reply";
import { StaticContent } from "../http/static-content";
import type { CompiledAssets } from "./explorer/assets";
import { PAGE_POLICY } from "./explorer/policy";
import { llmsFull, llmsIndex } from "./llms";
import { openApiDocument } from "./openapi";
import { referenceOf } from "./reference";
import { rejectOtherMethods } from "./rest/routes";

const MARKDOWN = "text/plain; charset=UTF-8";
const HTML = "text/html; charset=UTF-8";

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

/** The headers of the reference page. */
const pageHeaders = {
  "content-security-policy": PAGE_POLICY,
  "referrer-policy": "no-referrer",
  "cache-control": "no-cache",
};

/** Serves the OpenAPI document, an interactive reference, and llms.txt. */
export function docsRoutes(compiled: Promise<CompiledAssets | undefined>): Hono<Env> {
  let document: StaticContent | undefined;
  const routes = new Hono<Env>();
  routes.get("/openapi.json", (c) => {
    document ??= new StaticContent(JSON.stringify(openApiDocument()), JSON_TYPE);
    return document.respond(c);
  });
  const texts = {
    "/docs": (baseUrl, assets) => new StaticContent(renderReference(referenceOf(baseUrl), assets), HTML, pageHeaders),
    "/llms.txt": (baseUrl) => new StaticContent(llmsIndex(baseUrl), MARKDOWN),
    "/llms-full.txt": (baseUrl) => new StaticContent(llmsFull(baseUrl), MARKDOWN),
  } satisfies Record<string, (baseUrl: string, assets: Assets | undefined) => StaticContent>;
  for (const [path, create] of Object.entries(texts)) {
    let contentFor: ReturnType<typeof perBaseUrl> | undefined;
    routes.get(path, async (c) => {
      const assets = (await compiled)?.reference;
      contentFor ??= perBaseUrl((baseUrl) => create(baseUrl, assets));
      return contentFor(c.var.caller.baseUrl).respond(c);
    });
  }
  for (const path of ["/openapi.json", ...Object.keys(texts)]) rejectOtherMethods(routes, path, ["GET"]);
  return routes;
}
