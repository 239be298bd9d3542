import { useEffect, useState } from "preact/hooks";
import type { LiveMessage } from "../../client/src/follow";
import type { ExplorerClient } from "../client";
import { namesOfEvents } from "../names";
import type { Live, Page, PageState } from "../page";
import { shownTexts } from "../shown-texts";
import { keepTokens } from "../tokens";
import { addMessage } from "./events";
import { followPage } from "./follow-page";
import { collected, repeated } from "./timing";

/** How often a visible page is loaded again without an event: some states depend on time, and the head moves. */
const REFRESH_MS = 10_000;

type LivePage = { state: PageState; live: Live; problem: string | undefined };

const problemOf = (error: unknown): string => {
  const { status } = error as { status?: unknown };
  if (status === 404) return "The chain no longer has this record: a reorg removed it. This is its last known state.";
  return "The service does not respond. This is the state before.";
};

/** Keeps a page up to date: follows the events that concern it, and loads it again after each. */
export function useLivePage(page: Page, initial: PageState, client: ExplorerClient): LivePage {
  const [state, setState] = useState(initial);
  const [live, setLive] = useState<Live>({ events: initial.events, isInteractive: false });
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    setLive((before) => ({ ...before, isInteractive: true }));
    const subscription = page.subscription?.(initial.data, initial.parameters);
    if (!subscription) return undefined;
    // Over a slow connection, a later load would not read them in time.
    keepTokens(client, initial.tokens);
    const ended = new AbortController();
    const { signal } = ended;
    const reload = repeated(async () => {
      try {
        const loaded = await page.load(client, initial.parameters, (error) => console.warn(error));
        setState((before) => ({ ...before, ...loaded, names: { ...before.names, ...loaded.names } }));
        setProblem(undefined);
      } catch (error) {
        setProblem(problemOf(error));
      }
    }, signal);
    /** Names what new events mention. */
    const addNames = async (messages: readonly LiveMessage[]) => {
      const names = shownTexts(await namesOfEvents(client, messages, initial.names, console.warn));
      setState((before) => ({ ...before, names: { ...before.names, ...names } }));
    };
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") reload();
    }, REFRESH_MS);

    if (subscription.filter)
      void followPage(subscription, {
        client,
        block: BigInt(initial.block),
        events: initial.events,
        signal,
        onMessage: collected<LiveMessage>((messages) => {
          setLive((before) => ({ ...before, events: messages.reduce(addMessage, before.events ?? []) }));
          void addNames(messages);
        }),
        onExpired: (events) => setLive((before) => ({ ...before, events })),
        reload,
        onFailure: (error) => setProblem(problemOf(error)),
      });
    return () => {
      clearInterval(timer);
      ended.abort();
    };
  }, []);
  return { state, live, problem };
}
