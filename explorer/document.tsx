import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { App } from "./app";
import { links } from "./links";
import { Icon } from "./logo";
import type { Page, PageState } from "./page";
import { Footer, Header, type Shell } from "./shell";
import { SocialHead, type SocialProps, summaryOf } from "./social/head";

/** The addresses of the compiled script and style sheet. Undefined if they were not built: pages work without. */
export type Assets = { script: string; style: string };

/** An attribute that Preact's types lack. */
const renderBlocking = { blocking: "render" };

type DocumentProps = {
  title: string;
  assets: Assets | undefined;
  shell: Shell;
  /** The state for the browser; undefined if the page needs no script. */
  state?: PageState | undefined;
  /** Whether its beginning is painted before its end has arrived. */
  isLong?: true;
  /** Undefined for a page that no one links to, such as one about an error. */
  social?: SocialProps | undefined;
  children: ComponentChildren;
};

/** Data in a script element of another type than JavaScript. `<` must not end the element or start a comment. */
const dataText = (state: PageState | Shell) => JSON.stringify(state).replaceAll("<", "\\u003c");

type DataProps = { id: string; value: PageState | Shell };

const Data = ({ id, value }: DataProps) => (
  <script type="application/json" id={id} dangerouslySetInnerHTML={{ __html: dataText(value) }} />
);

const Document = ({ title, assets, shell, state, isLong, social, children }: DocumentProps) => (
  <html lang="en" data-theme={shell.theme}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Intentry`}</title>
      {social && <SocialHead {...social} />}
      <link rel="icon" href={links.icon} type="image/svg+xml" />
      {/* A table that is painted before all its rows have arrived would change the widths of its columns. */}
      {!isLong && <link rel="expect" href="#end" {...renderBlocking} />}
      {assets && <link rel="stylesheet" href={assets.style} />}
      {assets && <script type="module" src={assets.script} />}
    </head>
    <body>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="site">
        <Header shell={shell} />
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer id="end" class="site">
        <Footer />
      </footer>
      <Data id="shell" value={shell} />
      {state && <Data id="state" value={state} />}
    </body>
  </html>
);

/** The icon of the pages as SVG. */
export const iconText = (): string => renderToString(<Icon />);

/** The HTML of a document with the header and footer of all pages. */
export const documentText = (props: DocumentProps) => `<!doctype html>${renderToString(<Document {...props} />)}`;

/** The HTML of a page. */
export function renderPage(
  page: Page,
  state: PageState,
  assets: Assets | undefined,
  shell: Shell,
  baseUrl: string,
): string {
  const { title, description } = summaryOf(page, state);
  return documentText({
    title,
    social: { title, description, path: state.path, baseUrl },
    assets,
    shell: { ...shell, query: state.parameters.q },
    state,
    children: <App page={page} state={state} live={{ events: state.events, isInteractive: false }} />,
  });
}

/** The HTML of an error response. */
export const renderError = (status: number, message: string, assets: Assets | undefined, shell: Shell): string =>
  documentText({
    title: status === 404 ? "Page not found" : "Error",
    assets,
    shell,
    children: (
      <>
        <h1>{status === 404 ? "Page not found" : `Error ${status}`}</h1>
        <p>{message}</p>
        <p>
          <a class="button primary" href={links.overview}>
            Overview
          </a>{" "}
          <a class="button" href={links.search}>
            Search
          </a>
        </p>
      </>
    ),
  });
