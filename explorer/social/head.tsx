import { links } from "../links";
import type { Page, PageState } from "../page";
import { wordsOf } from "./words";

const MAX_TITLE = 120;
const MAX_DESCRIPTION = 300;

const DEFAULT = "Intentry indexes what agents intend, trade and buy.";

const shortened = (text: string, maxCharacters: number) => {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1).trimEnd()}…` : line;
};

/** The title and description of a page, as plain text of bounded length. */
export function summaryOf(page: Page, state: Pick<PageState, "data" | "tokens" | "names" | "parameters">) {
  const words = wordsOf(state);
  return {
    title: shortened(page.title(state.data, state.parameters, words), MAX_TITLE),
    description: shortened(page.description?.(state.data, words) ?? DEFAULT, MAX_DESCRIPTION),
  };
}

const PICTURE_SUFFIX = "/picture.svg";

/** The address of a page's picture. */
export const pictureOf = (path: string): string => (path === links.overview ? "/explore" : path) + PICTURE_SUFFIX;

/** The path of the page that a picture is of; undefined for other paths. */
export function pageOfPicture(path: string): string | undefined {
  if (!path.endsWith(PICTURE_SUFFIX)) return undefined;
  const page = path.slice(0, -PICTURE_SUFFIX.length);
  return page === "/explore" ? links.overview : page;
}

export type SocialProps = { title: string; description: string; path: string; baseUrl: string };

/** What search engines and messengers show of a page. */
export const SocialHead = ({ title, description, path, baseUrl }: SocialProps) => (
  <>
    <meta name="description" content={description} />
    <meta property="og:site_name" content="Intentry" />
    <meta property="og:type" content="website" />
    <meta property="og:title" content={title} />
    <meta property="og:description" content={description} />
    <meta property="og:url" content={baseUrl + path} />
    <meta property="og:image" content={baseUrl + pictureOf(path)} />
    <meta property="og:image:type" content="image/svg+xml" />
    <meta property="og:image:alt" content={title} />
    <meta name="twitter:card" content="summary_large_image" />
  </>
);
