/** A running step is printed again at this interval: at least every 3 s, also if the timer is late. */
const REPEAT_MS = 2_500;

export type StepLog = {
  /** Prints the step that begins now. While it runs, it is printed again every few seconds. */
  step: (what: string) => void;
  /** Adds this to the lines of the running step that follow. */
  detail: (text: string) => void;
  /** Prints a line. No step runs afterwards. */
  done: (what: string) => void;
  /** Ends the running step without a line. */
  end: () => void;
};

/** Adds the seconds since now to each line. */
export function timed(print: (line: string) => void): (what: string) => void {
  const startedAt = Date.now();
  return (what) => print(`[${((Date.now() - startedAt) / 1000).toFixed(1).padStart(5)} s] ${what}`);
}

/** Creates a log of the steps of a start. */
export function createStepLog(log: (line: string) => void): StepLog {
  let timer: NodeJS.Timeout | undefined;
  let detail = "";
  return {
    step(what) {
      clearInterval(timer);
      detail = "";
      log(what);
      timer = setInterval(() => log(`${what}: ${detail || "still running"}`), REPEAT_MS);
      timer.unref();
    },
    detail(text) {
      detail = text;
    },
    done(what) {
      clearInterval(timer);
      log(what);
    },
    end: () => clearInterval(timer),
  };
}
