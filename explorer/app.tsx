import { useMemo } from "preact/hooks";
import { Clock } from "./components/clock";
import { NamesContext } from "./components/record-link";
import { TokensContext } from "./components/tokens";
import type { Live, Page, PageState } from "./page";

type Props = { page: Page; state: PageState; live: Live; problem?: string | undefined };

/** The content of `<main>`, on the server and in the browser. */
export function App({ page: { View }, state: { data, tokens, names, parameters, now }, live, problem }: Props) {
  const known = useMemo(() => new Map(tokens.map((token) => [String(token.address), token])), [tokens]);
  return (
    <Clock start={now}>
      <TokensContext.Provider value={known}>
        {problem !== undefined && (
          <p class="warning" role="status">
            {problem}
          </p>
        )}
        <NamesContext.Provider value={names}>
          <View data={data} live={live} parameters={parameters} />
        </NamesContext.Provider>
      </TokensContext.Provider>
    </Clock>
  );
}
