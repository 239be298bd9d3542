import { useEffect, useRef, useState } from "preact/hooks";
import { links, withQuery } from "./links";
import { Logo } from "./logo";
import { SearchBox, type Suggest } from "./search-box";

/** What the frame of a page shows. */
export type Shell = {
  /** The path of the page. */
  path: string;
  query?: string | undefined;
  /** Undefined if nothing is known about the chain, as on a page about an error. */
  network?: { chainId: number; block: string } | undefined;
  theme?: Theme | undefined;
};

const themes = ["light", "dark"] as const;

export type Theme = (typeof themes)[number];

/** The cookie with the theme that a person chose. */
export const THEME_COOKIE = "theme";

export const themeOf = (value: string | undefined): Theme | undefined => themes.find((theme) => theme === value);

/** The menu. Each group is a `<details>`, which needs no script. */
const groups = [
  [
    "Intents",
    [
      ["Intents", links.list("intents")],
      ["Bids", links.list("bids")],
      ["Fills", links.list("fills")],
    ],
  ],
  [
    "Commerce",
    [
      ["Merchants", links.list("merchants")],
      ["Services", links.list("services")],
      ["Quotes", links.list("quotes")],
      ["Receipts", links.list("receipts")],
      ["Settlements", links.list("settlements")],
      ["Disputes", links.list("disputes")],
    ],
  ],
  [
    "Participants",
    [
      ["Leaderboards", links.list("leaderboards")],
      ["Agents", links.list("agents")],
      ["Solvers", links.list("solvers")],
      ["Facilitators", links.list("facilitators")],
      ["Attestors", links.list("attestors")],
      ["Attestations", links.list("attestations")],
      ["Attestation schemas", links.list("schemas")],
      ["Trust signals", links.list("trust-signals")],
    ],
  ],
  [
    "Tools",
    [
      ["Preflight", links.preflight],
      ["Portfolio", links.portfolio],
      ["Search", withQuery(links.search, {})],
      ["API reference", "/docs"],
      ["Status", links.status],
    ],
  ],
] as const;

type LinksProps = { entries: (typeof groups)[number][1]; path: string };

const GroupLinks = ({ entries, path }: LinksProps) => (
  <>
    {entries.map(([name, href]) => (
      <a key={name} href={href} aria-current={href === path ? "page" : undefined}>
        {name}
      </a>
    ))}
  </>
);

/** Closes the open group when a person clicks elsewhere or presses Escape. */
function useClosing() {
  const menu = useRef<HTMLElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      const opened = menu.current?.querySelectorAll("details[open]") ?? [];
      const isEscape = event instanceof KeyboardEvent && event.key === "Escape";
      for (const group of opened)
        if (isEscape || (event.type === "click" && event.target instanceof Node && !group.contains(event.target)))
          group.removeAttribute("open");
    };
    document.addEventListener("click", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("click", close);
      document.removeEventListener("keydown", close);
    };
  }, []);
  return menu;
}

const Menu = ({ path }: { path: string }) => (
  <nav class="menu" aria-label="Pages" ref={useClosing()}>
    {groups.map(([title, entries]) => (
      <details key={title} name="menu" class={entries.some(([, href]) => href === path) ? "wide current" : "wide"}>
        <summary>{title}</summary>
        <div class="links">
          <GroupLinks entries={entries} path={path} />
        </div>
      </details>
    ))}
    <details class="phone" name="menu">
      <summary aria-label="Menu">
        <svg viewBox="0 0 20 20" width="20" height="20" aria-hidden="true">
          <path d="M2 5h16M2 10h16M2 15h16" stroke="currentColor" stroke-width="2" />
        </svg>
      </summary>
      <div class="links">
        {groups.map(([title, entries]) => (
          <>
            <strong key={title}>{title}</strong>
            <GroupLinks entries={entries} path={path} />
          </>
        ))}
      </div>
    </details>
  </nav>
);

const YEAR_SECONDS = 31_536_000;

/** Changes between light and dark. The server renders the theme of the cookie, so that a page never flashes. */
function ThemeSwitch({ theme: initial }: { theme: Theme | undefined }) {
  const [theme, setTheme] = useState(initial);
  const change = () => {
    const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    const next = isDark ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox
    document.cookie = `${THEME_COOKIE}=${next}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
    setTheme(next);
  };
  return (
    <button type="button" class="theme" aria-label="Switch between light and dark" onClick={change}>
      <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
        <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.6" />
        <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
      </svg>
    </button>
  );
}

type HeaderProps = { shell: Shell; suggest?: Suggest | undefined; readBlock?: (() => Promise<string>) | undefined };

const TICK_MS = 4_000;

/** The newest block of the index, which ticks. */
function Network({ network, readBlock }: { network: NonNullable<Shell["network"]> } & Pick<HeaderProps, "readBlock">) {
  const [block, setBlock] = useState(network.block);
  useEffect(() => {
    if (!readBlock) return undefined;
    const timer = setInterval(() => {
      // A failure shows the last block; the page itself says that the service does not respond.
      if (document.visibilityState === "visible") readBlock().then(setBlock, console.warn);
    }, TICK_MS);
    return () => clearInterval(timer);
  }, [readBlock]);
  return (
    <a class="network" href={links.status} title="Chain and newest indexed block">
      <i>Chain {network.chainId}, block</i> <b data-block={block}>{block}</b>
    </a>
  );
}

/** The header of every page. */
export const Header = ({ shell: { path, query, network, theme }, suggest, readBlock }: HeaderProps) => (
  <div class="site-row">
    <a class="brand" href={links.overview} aria-label="Intentry, overview">
      <Logo />
      <span>Intentry</span>
    </a>
    <Menu path={path} />
    <SearchBox query={query} suggest={suggest} />
    {network && <Network network={network} readBlock={readBlock} />}
    <ThemeSwitch theme={theme} />
  </div>
);

export const Footer = () => (
  <div>
    <span>Intentry indexes what agents intend, trade and buy.</span>
    <a href="/docs">API reference</a>
    <a href="/openapi.json">OpenAPI</a>
    <a href="/llms.txt">llms.txt</a>
    <a href={links.status}>Status</a>
  </div>
);
