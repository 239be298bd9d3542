import { type ComponentChildren, createContext } from "preact";
import { useEffect, useState } from "preact/hooks";

const TICK_MS = 15_000;

/** The present in unix seconds, for relative times. */
export const NowContext = createContext(0);

/** Keeps the present. The first one is the server's, so that both render the same. */
export function Clock({ start, children }: { start: number; children: ComponentChildren }) {
  const [now, setNow] = useState(start);
  useEffect(() => {
    // Not at once: a text that changes while the page loads would move others.
    const timer = setInterval(() => setNow(Math.floor(Date.now() / 1000)), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return <NowContext.Provider value={now}>{children}</NowContext.Provider>;
}
