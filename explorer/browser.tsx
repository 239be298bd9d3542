import { hydrate } from "preact";
import { App } from "./app";
import { createExplorerClient, type ExplorerClient } from "./client";
import { useLivePage } from "./live/use-live-page";
import type { Page, PageState } from "./page";
import { findPage } from "./pages";
import { Header, type Shell } from "./shell";
import { suggestFrom } from "./suggest";

type Props = { page: Page; initial: PageState; client: ExplorerClient };

function LiveApp({ page, initial, client }: Props) {
  const { state, live, problem } = useLivePage(page, initial, client);
  return <App page={page} state={state} live={live} problem={problem} />;
}

/** The data that the gateway rendered an element from. */
const stateOf = (id: string) => document.getElementById(id)?.textContent;

const client = createExplorerClient(location.origin);
document.documentElement.classList.add("scripted");

const header = document.querySelector("header.site");
const frame = stateOf("shell");
if (header && frame) {
  const shell: Shell = JSON.parse(frame);
  const readBlock = async () => String((await client.status.ready.query()).block_number ?? "");
  hydrate(<Header shell={shell} suggest={suggestFrom(client)} readBlock={readBlock} />, header);
}

const main = document.getElementById("main");
const data = stateOf("state");
if (main && data) {
  const initial: PageState = JSON.parse(data);
  const found = findPage(initial.path);
  if (found) hydrate(<LiveApp page={found.page} initial={initial} client={client} />, main);
}
