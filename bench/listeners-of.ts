import { fork } from "node:child_process";
import { bundle } from "../test/support/bundle";
import type { ListenJob, ListenState } from "./listen-process";

/** Subscribers in their own process. */
export type Listeners = {
  open: (job: ListenJob) => void;
  state: () => Promise<ListenState>;
  close: () => void;
  stop: () => void;
};

/** Starts a process for subscribers. */
export async function startListeners(): Promise<Listeners> {
  const child = fork(await bundle("bench/listen-process.ts"), { execArgv: [] });
  let isStopping = false;
  child.once("exit", (code) => {
    if (!isStopping) throw new Error(`The process of the subscribers ended with code ${code}`);
  });
  return {
    open: (job) => void child.send(job),
    state: () =>
      new Promise((resolve) => {
        child.once("message", (state: ListenState) => resolve(state));
        child.send("state");
      }),
    close: () => void child.send("close"),
    stop() {
      isStopping = true;
      child.disconnect();
    },
  };
}
