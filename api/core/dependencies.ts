import type { SharedRead } from "../index/shared-read";
import type { Clock } from "./clock";
import type { BaseContext } from "./context";
import type { Caller } from "./operation";

/** The state that a response was computed from. It is valid as long as none of it changes. */
export type Dependencies = {
  /** Whether it depends on the index. */
  index: boolean;
  /** The store's revision, read before anything else of the store; undefined if it does not depend on the store. */
  storeRevision: string | undefined;
  /** When the response changes by the passage of time alone, in unix seconds; undefined for never. */
  changesAt: bigint | undefined;
  /** Whether it depends on anything that has no revision, such as the chain itself or the client. */
  isUntracked: boolean;
};

type Recorded = { context: BaseContext; caller: Caller; dependencies: Dependencies };

/** Wraps the context and the caller of one run of an operation, and records the state that it uses. */
export function recordDependencies(
  context: BaseContext,
  caller: Caller,
  storeRevision: SharedRead<string>["read"],
): Recorded {
  const dependencies: Dependencies = {
    index: false,
    storeRevision: undefined,
    changesAt: undefined,
    isUntracked: false,
  };
  const changesAt = (time: bigint) => {
    if (dependencies.changesAt === undefined || time < dependencies.changesAt) dependencies.changesAt = time;
  };
  const recordingClock = (clock: Clock): Clock => ({
    get now() {
      changesAt(clock.now + 1n);
      return clock.now;
    },
    hasReached(deadline) {
      const isPast = clock.hasReached(deadline);
      if (!isPast) changesAt(deadline);
      return isPast;
    },
  });
  const recorders: Partial<BaseContext> = {
    async store() {
      // Of several reads the first counts: the response may contain anything written since.
      const revision = await storeRevision();
      dependencies.storeRevision ??= revision;
      return context.store();
    },
    tokens: {
      async find(addresses, waitMs) {
        const revision = await storeRevision();
        // The caller itself, not the recorded one: a response depends on the client only if its share is used up.
        const found = await context.tokens.find(addresses, waitMs, caller);
        if (found.isClientLimited) dependencies.isUntracked = true;
        if (found.changesAt !== undefined) {
          dependencies.index = true;
          dependencies.storeRevision ??= revision;
          changesAt(found.changesAt);
        }
        return found;
      },
      async named(text) {
        const revision = await storeRevision();
        dependencies.storeRevision ??= revision;
        return context.tokens.named(text);
      },
    },
    async clock() {
      dependencies.index = true;
      return recordingClock(await context.clock());
    },
  };
  const recordedContext = new Proxy(context, {
    get(target, key: keyof BaseContext) {
      if (key === "db" || key === "head") dependencies.index = true;
      else if (key !== "config" && !(key in recorders)) dependencies.isUntracked = true;
      return recorders[key] ?? target[key];
    },
  });
  const recordedCaller = new Proxy(caller, {
    get(target, key: keyof Caller) {
      // The base URL is part of the key under which a response is kept.
      if (key !== "baseUrl") dependencies.isUntracked = true;
      return target[key];
    },
  });
  return { context: recordedContext, caller: recordedCaller, dependencies };
}
