type Options = {
  task: () => Promise<unknown>;
  /** The pause between two runs. */
  pauseMs: number | (() => number);
  /** Called when the task fails, but not again while it fails with the same error. */
  onError: (error: unknown) => void;
};

export type Repeated = {
  /** Resolves when the first run has ended, also if it failed. */
  first: Promise<void>;
  /** Ends the runs. Resolves when the current one has ended. */
  stop: () => Promise<void>;
};

/** Runs a task until it is stopped. Runs do not overlap, and the pauses do not keep the process alive. */
export function repeat({ task, pauseMs, onError }: Options): Repeated {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let reported: string | undefined;
  const run = async () => {
    try {
      await task();
      reported = undefined;
    } catch (error) {
      if (!isStopped && reported !== String(error)) onError(error);
      reported = String(error);
    }
    if (isStopped) return;
    timer = setTimeout(
      () => {
        running = run();
      },
      typeof pauseMs === "number" ? pauseMs : pauseMs(),
    ).unref();
  };
  let running = run();
  return {
    first: running,
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
