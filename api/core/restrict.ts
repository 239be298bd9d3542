import type { BaseContext } from "./context";
import { type AnyCall, type Caller, type Dependency, dependenciesOf } from "./operation";

/** What operations may use without a dependency. Tokens have their own. */
const free = ["config", "limits", "tokens"];

/** The dependency of each part of the context. Others are untracked. */
const dependencyOf: Readonly<Record<string, Dependency>> = {
  db: "index",
  head: "index",
  store: "store",
  clock: "time",
};

type Restricted = { context: BaseContext; caller: Caller };

/**
 * The context and the caller with only what the operation depends on by its definition. The use of anything else throws: the
 * cache would serve responses that are no longer true. For development, because it takes time.
 */
export function restrict(
  context: BaseContext,
  operation: AnyCall,
  input: Record<string, unknown>,
  caller: Caller,
): Restricted {
  const dependencies = dependenciesOf(operation, input);
  if (dependencies.includes("untracked") || operation.writes) return { context, caller };
  const requireDependency = (dependency: Dependency, used: string) => {
    if (!dependencies.includes(dependency))
      throw new Error(`${operation.route} uses ${used}; add "${dependency}" to its dependsOn`);
  };
  const parts = Object.keys(context)
    .filter((name) => !free.includes(name))
    .map((name) => {
      const get = () => {
        requireDependency(dependencyOf[name] ?? "untracked", name);
        return context[name as keyof BaseContext];
      };
      return [name, { get, enumerable: true }];
    });
  const tokens: BaseContext["tokens"] = {
    find(addresses, waitMs) {
      requireDependency("time", "tokens.find");
      return context.tokens.find(addresses, waitMs, caller);
    },
    named(text) {
      requireDependency("store", "tokens.named");
      return context.tokens.named(text);
    },
  };
  const ofCaller = (name: "baseUrl" | "client" | "hasWriteToken", dependency: Dependency) => ({
    get() {
      requireDependency(dependency, `caller.${name}`);
      return caller[name];
    },
  });
  return {
    context: Object.defineProperties({ ...context, tokens }, Object.fromEntries(parts)),
    caller: Object.defineProperties(
      { ...caller },
      {
        baseUrl: ofCaller("baseUrl", "baseUrl"),
        client: ofCaller("client", "untracked"),
        hasWriteToken: ofCaller("hasWriteToken", "untracked"),
      },
    ),
  };
}
