import { Hono, type Context as HonoContext } from "hono";
import { getCookie } from "hono/cookie";
import type { Logger } from "pino";
import { type Assets, renderError, renderPage } from "../../../explorer/document";
import { links } from "../../../explorer/links";
import { readEvents } from "../../../explorer/live/events";
import { namesOfEvents } from "../../../explorer/names";
import { type Page, type Parameters, Redirect } from "../../../explorer/page";
import { findPage } from "../../../explorer/pages";
import { kitPage } from "../../../explorer/pages/kit";
import { findCsv } from "../../../explorer/pages/lists";
import { type Shell, THEME_COOKIE, themeOf } from "../../../explorer/shell";
import { pageOfPicture, summaryOf } from "../../../explorer/social/head";
import { renderPicture } from "../../../explorer/social/picture";
import { NotFound } from "../../core/errors";
import {
  type Env,
  JSON_TYPE,
  type Reply,
  reply,
  setIndexHead,
  taggedReply,
  textReply,
  truncatePath,
} from "../../http/reply";
import { compressedReply } from "../../http/static-content";
import type { Context } from "../../operations/context";
import { rejectOtherMethods } from "../rest/routes";
import { prefersHtml } from "./accept";
import { ASSETS_PATH, type CompiledAssets } from "./assets";
import { linkIndex } from "./link-index";
import { PAGE_POLICY, PICTURE_POLICY } from "./policy";
import { readsOf } from "./reads";

const pageHeaders = {
  "content-security-policy": PAGE_POLICY,
  "referrer-policy": "no-referrer",
  // A page is as current as the index. The browser asks again, and never shows an old one.
  "cache-control": "no-cache",
};

/** Browsers save a CSV and never show it. */
const csvHeaders = { "content-disposition": "attachment", "cache-control": "no-cache" };

/** Messengers ask for a picture when a link is posted, and all at the same time. */
const pictureHeaders = { "content-security-policy": PICTURE_POLICY, "cache-control": "public, max-age=300" };

const HTML = "text/html; charset=UTF-8";

/** Whether a request is for a page. Programs that request `/` get an index of links. */
export const isPage = (c: HonoContext): boolean =>
  c.req.path.startsWith("/explore/") || (c.req.path === "/" && prefersHtml(c.req.header("accept")));

/** The page about an error. */
export const errorPage = (
  status: number,
  message: string,
  assets: Assets | undefined,
  shell: Shell,
  headers: Readonly<Record<string, string>>,
): Reply =>
  textReply(renderError(status, message, assets, shell), HTML, status, {
    ...headers,
    ...pageHeaders,
    vary: "accept, cookie",
  });

/** The frame of a page, with the theme that the person chose. */
export const shellOf = (c: HonoContext): Shell => ({ path: c.req.path, theme: themeOf(getCookie(c, THEME_COOKIE)) });

/** The present to the minute, so that a page without news keeps its ETag for a while. */
const minute = () => Math.floor(Date.now() / 60_000) * 60;

const queryOf = (c: HonoContext): Parameters => c.req.query();

/** Serves the explorer: pages rendered from the operations, the script that keeps them up to date, and at `/` an index of links for programs. */
export function explorerRoutes(
  context: Context,
  log: Logger,
  compiled: Promise<CompiledAssets | undefined>,
): Hono<Env> {
  /** The picture of a page, for messengers that show links with one. */
  const servePicture = async (c: HonoContext<Env>, { page, parameters }: NonNullable<ReturnType<typeof findPage>>) => {
    const onFailure = (err: unknown) => log.warn({ err }, "a picture is shown without a part that can't be read");
    const loaded = await page.load(readsOf(context, c.var.caller), parameters, onFailure);
    const { chainId } = context.config;
    const picture = renderPicture({ ...summaryOf(page, { ...loaded, parameters }), chainId });
    return reply(c, await compressedReply(c, picture, "image/svg+xml", pictureHeaders));
  };
  const serve = async (c: HonoContext<Env>, page: Page, parameters: Parameters, vary: string) => {
    // Before the data is read, so that the browser misses no event after it.
    const head = await context.head();
    setIndexHead(c, head);
    const all = { ...queryOf(c), ...parameters };
    const reads = readsOf(context, c.var.caller);
    const onFailure = (err: unknown) => log.warn({ err }, "a page is shown without a part that can't be read");
    try {
      const loaded = await page.load(reads, all, onFailure);
      const events = await readEvents(reads, page.subscription?.(loaded.data, all) ?? {}, onFailure);
      const names = { ...loaded.names, ...(await namesOfEvents(reads, events, loaded.names, onFailure)) };
      const block = String(head.block ?? 0n);
      const state = { path: c.req.path, parameters: all, ...loaded, names, events, block, now: minute() };
      const shell = { ...shellOf(c), network: { chainId: context.config.chainId, block } };
      const html = renderPage(page, state, (await compiled)?.explorer, shell, c.var.caller.baseUrl);
      const shown = await compressedReply(c, html, HTML, { ...pageHeaders, vary });
      return reply(c, { ...shown, status: page.status?.(loaded.data) ?? 200 });
    } catch (error) {
      if (!(error instanceof Redirect)) throw error;
      return reply(c, { status: 303, headers: { location: error.location }, body: null });
    }
  };

  const serveCsv = async (c: HonoContext<Env>, csv: NonNullable<ReturnType<typeof findCsv>>) => {
    setIndexHead(c, await context.head());
    const text = await csv(readsOf(context, c.var.caller), queryOf(c));
    return reply(c, await compressedReply(c, text, "text/csv; charset=UTF-8; header=present", csvHeaders));
  };

  /** The kit is a page of developers. Its script is not in that of the other pages, so it only shows components. */
  const findServed = (path: string) =>
    context.config.isDevelopment && path === kitPage.path ? { page: kitPage, parameters: {} } : findPage(path);

  const routes = new Hono<Env>();
  routes.get("/", (c) => {
    c.set("operation", "explorer");
    const found = findPage("/");
    if (found && isPage(c)) return serve(c, found.page, {}, "accept, cookie");
    const body = JSON.stringify(linkIndex(c.var.caller.baseUrl));
    return reply(c, taggedReply(body, JSON_TYPE, { vary: "accept" }));
  });
  routes.get(`${ASSETS_PATH}/:name`, async (c) => {
    c.set("operation", "explorer");
    const file = (await compiled)?.files.get(c.req.param("name"));
    return file ? file.respond(c) : c.notFound();
  });
  routes.get("/status", (c) => {
    c.set("operation", "explorer");
    return reply(c, { status: 303, headers: { location: links.status }, body: null });
  });
  routes.get("/explore/*", (c) => {
    c.set("operation", "explorer");
    const csv = findCsv(c.req.path);
    if (csv) return serveCsv(c, csv);
    const pictured = findServed(pageOfPicture(c.req.path) ?? "");
    if (pictured) return servePicture(c, pictured);
    const found = findServed(c.req.path);
    if (!found) throw new NotFound(`Unknown address: ${truncatePath(c.req.path)}`);
    return serve(c, found.page, found.parameters, "cookie");
  });
  for (const path of ["/", "/status", "/explore/*"]) rejectOtherMethods(routes, path, ["GET"]);
  return routes;
}
