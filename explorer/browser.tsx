import { hydrate } from "preact";
import { App } from "./app";
import { createExplorerClient, type ExplorerClient } from "./client";
import { useLivePage } from "./live/use-live-page";
import type { Page, PageState } from "./page";
import { findPage } from "./pages";

type Props = { page: Page; initial: PageState; client: ExplorerClient };

function LiveApp({ page, initial, client }: Props) {
  const { state, live, problem } = useLivePage(page, initial, client);
  return <App page={page} state={state} live={live} problem={problem} />;
}

document.documentElement.classList.add("scripted");
const data = document.getElementById("state")?.textContent;
const main = document.getElementById("main");
if (data && main) {
  // The gateway rendered the page from this state.
  const initial: PageState = JSON.parse(data);
  const found = findPage(initial.path);
  if (found) {
    const client = createExplorerClient(location.origin);
    hydrate(<LiveApp page={found.page} initial={initial} client={client} />, main);
  }
}
