import type { ComponentChildren } from "preact";
import { renderToString } from "preact-render-to-string";
import { App } from "./app";
import { links, withQuery } from "./links";
import type { Page, PageState } from "./page";

/** The addresses of the compiled script and style sheet. Undefined if they were not built: pages work without. */
export type Assets = { script: string; style: string };

const navigation = [
  ["Intents", links.list("intents")],
  ["Agents", withQuery(links.search, { type: "agent" })],
  ["Solvers", links.list("solvers")],
  ["Merchants", links.list("merchants")],
  ["Services", links.list("services")],
  ["Receipts", links.list("receipts")],
  ["Disputes", links.list("disputes")],
  ["Attestors", links.list("attestors")],
  ["Preflight", links.preflight],
  ["Portfolio", links.portfolio],
] as const;

/** An icon as a data URL: no request, and allowed by the policy. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M8 1 15 8 8 15 1 8z" fill="#2563eb"/></svg>',
)}`;

/** An attribute that Preact's types lack. */
const renderBlocking = { blocking: "render" };

type DocumentProps = {
  title: string;
  assets: Assets | undefined;
  query?: string | undefined;
  /** The state for the browser; undefined if the page needs no script. */
  state?: PageState | undefined;
  /** Whether its beginning is painted before its end has arrived. */
  isLong?: true;
  children: ComponentChildren;
};

/** Data in a script element of another type than JavaScript. `<` must not end the element or start a comment. */
const dataText = (state: PageState) => JSON.stringify(state).replaceAll("<", "\\u003c");

const Document = ({ title, assets, query, state, isLong, children }: DocumentProps) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · Intentry`}</title>
      <link rel="icon" href={ICON} />
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
        <a class="brand" href={links.overview}>
          Intentry
        </a>
        <nav aria-label="Pages">
          {navigation.map(([name, href]) => (
            <a key={name} href={href}>
              {name}
            </a>
          ))}
        </nav>
        <search>
          <form action={links.search} method="get">
            <input
              type="search"
              name="q"
              value={query}
              aria-label="Search by name, id, address or hash"
              placeholder="Name, id or hash"
              maxLength={200}
              required
            />
            <button type="submit">Search</button>
          </form>
        </search>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <footer id="end" class="site">
        <a href="/docs">API reference</a>
        <a href="/openapi.json">OpenAPI</a>
        <a href="/llms.txt">llms.txt</a>
        <a href="/ready">Status</a>
      </footer>
      {state && <script type="application/json" id="state" dangerouslySetInnerHTML={{ __html: dataText(state) }} />}
    </body>
  </html>
);

/** The HTML of a document with the header and footer of all pages. */
export const documentText = (props: DocumentProps) => `<!doctype html>${renderToString(<Document {...props} />)}`;

/** The HTML of a page. */
export const renderPage = (page: Page, state: PageState, assets: Assets | undefined): string =>
  documentText({
    title: page.title(state.data, state.parameters),
    assets,
    query: state.parameters.q,
    state,
    children: <App page={page} state={state} live={{ events: state.events, isInteractive: false }} />,
  });

/** The HTML of an error response. */
export const renderError = (status: number, message: string, assets: Assets | undefined): string =>
  documentText({
    title: status === 404 ? "Page not found" : "Error",
    assets,
    children: (
      <>
        <h1>{status === 404 ? "Page not found" : `Error ${status}`}</h1>
        <p>{message}</p>
        <p>
          <a href={links.overview}>Overview</a>
        </p>
      </>
    ),
  });
