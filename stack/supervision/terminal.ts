type Output = { isTTY?: boolean; columns?: number; write: (text: string) => unknown };

const CLEAR_LINE = "\r\x1b[K";

export type Terminal = {
  print: (line: string) => void;
  /** Shows a text below all other lines until the next call. Only on a terminal. */
  setStatus: (text: string) => void;
};

/** Prints lines, with a status line below them on a terminal. */
export function createTerminal(output: Output): Terminal {
  let status = "";
  const write = (text: string) => output.write(`${status === "" ? "" : CLEAR_LINE}${text}`);
  return {
    print: (line) => void write(`${line}\n${status}`),
    setStatus(text) {
      if (!output.isTTY) return;
      // A longer line would wrap, and only its last part would be cleared.
      const next = text.slice(0, (output.columns ?? 80) - 1);
      write(next);
      status = next;
    },
  };
}
