import { Hono, type Context as HonoContext } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { Logger } from "pino";
import { renderError, renderPage } from "../../../explorer/document";
import { readEvents } from "../../../explorer/live/events";
import { type Page, type Parameters, Redirect } from "../../../explorer/page";
import { findPage } from "../../../explorer/pages";
import { callerOf } from "../../http/caller";
import { JSON_TYPE } from "../../http/common-headers";
import { etagOf, hasTag } from "../../http/etag";
import { failureOf } from "../../http/failure";
import { setIndexHeaders } from "../../http/index-headers";
import type { Env } from "../../http/log";
import { truncatePath } from "../../http/path";
import { compress, encodingFor } from "../../http/static-content";
import type { Context } from "../../operations/context";
import { rejectOtherMethods, respond } from "../rest/routes";
import { prefersHtml } from "./accept";
import { ASSETS_PATH, type CompiledAssets } from "./assets";
import { linkIndex } from "./link-index";
import { PAGE_POLICY } from "./policy";
import { readsOf } from "./reads";

const headers = {
  "content-type": "text/html; charset=UTF-8",
  "content-security-policy": PAGE_POLICY,
  "referrer-policy": "no-referrer",
  // A page is as current as the index. The browser asks again, and never shows an old one.
  "cache-control": "no-cache",
};

/** Responds with HTML, compressed if the client accepts that, or with 304 if the client has the same page. */
async function respondHtml(c: HonoContext, status: ContentfulStatusCode, text: string, vary: string) {
  const encoding = encodingFor(c.req.header("accept-encoding"));
  const bytes = Buffer.from(text);
  const body = new Uint8Array(encoding ? await compress(bytes, encoding) : bytes);
  const etag = etagOf(body);
  if (status === 200 && hasTag(c.req.header("if-none-match"), etag))
    return c.body(null, 304, { etag, vary, "cache-control": headers["cache-control"] });
  return c.body(body, status, {
    ...headers,
    ...(encoding && { "content-encoding": encoding }),
    "content-length": String(body.length),
    ...(status === 200 && { etag }),
    vary,
  });
}

const queryOf = (c: HonoContext): Parameters => c.req.query();

/** Serves the explorer: pages rendered from the operations, the script that keeps them up to date, and at `/` an index of links for programs. */
export function explorerRoutes(
  context: Context,
  log: Logger,
  compiled: Promise<CompiledAssets | undefined>,
): Hono<Env> {
  const serve = async (c: HonoContext<Env>, page: Page, parameters: Parameters, vary: string) => {
    const assets = (await compiled)?.explorer;
    try {
      // Before the data is read, so that the browser misses no event after it.
      const head = await context.head();
      setIndexHeaders(c, head);
      const all = { ...queryOf(c), ...parameters };
      const reads = readsOf(context, callerOf(c, context.config));
      const onFailure = (err: unknown) =>
        log.warn({ request_id: c.var.requestId, err }, "a page is shown without a part that can't be read");
      const loaded = await page.load(reads, all, onFailure);
      const events = await readEvents(reads, page.subscription?.(loaded.data, all) ?? {}, onFailure);
      const state = { path: c.req.path, parameters: all, ...loaded, events, block: String(head.block ?? 0n) };
      return await respondHtml(c, 200, renderPage(page, state, assets), vary);
    } catch (error) {
      if (error instanceof Redirect) return c.redirect(error.location, 303);
      const { status, message, fault, headers: failureHeaders } = failureOf(error);
      if (fault) log.error({ request_id: c.var.requestId, err: error }, "failed request");
      for (const [name, value] of Object.entries(failureHeaders)) c.header(name, value);
      return respondHtml(c, status as ContentfulStatusCode, renderError(status, message, assets), vary);
    }
  };

  const routes = new Hono<Env>();
  routes.get("/", (c) => {
    c.set("operation", "explorer");
    const found = findPage("/");
    if (found && prefersHtml(c.req.header("accept"))) return serve(c, found.page, {}, "accept, accept-encoding");
    const body = JSON.stringify(linkIndex(callerOf(c, context.config).baseUrl));
    return respond(c, body, JSON_TYPE, { vary: "accept" });
  });
  routes.get(`${ASSETS_PATH}/:name`, async (c) => {
    c.set("operation", "explorer");
    const file = (await compiled)?.files.get(c.req.param("name"));
    return file ? file.respond(c) : c.notFound();
  });
  routes.get("/explore/*", async (c) => {
    c.set("operation", "explorer");
    const found = findPage(c.req.path);
    if (found) return serve(c, found.page, found.parameters, "accept-encoding");
    const message = `Unknown address: ${truncatePath(c.req.path)}`;
    return respondHtml(c, 404, renderError(404, message, (await compiled)?.explorer), "accept-encoding");
  });
  for (const path of ["/", "/explore/*"]) rejectOtherMethods(routes, path, ["GET"]);
  return routes;
}
