import { describe, expect, it } from "vitest";
import type { BaseContext } from "../../api/core/context";
import { type Dependency, operation, z } from "../../api/core/operation";
import { runOperation } from "../../api/core/run";
import type { Context } from "../../api/operations/context";

type Use = (context: Context, caller: { client: string; hasWriteToken: boolean; baseUrl: string }) => unknown;

const context = {
  db: {},
  head: async () => ({}),
  store: async () => ({}),
  clock: async () => ({}),
  tokens: { find: async () => new Map(), named: async () => [] },
  readiness: async () => ({}),
  config: { checkAnswers: true, writeTokens: [], chainId: 1 },
} as unknown as BaseContext;

/** Runs an operation with these dependencies that uses the context. */
const run = (dependsOn: readonly Dependency[], use: Use, checkAnswers = true) => {
  const read = operation({
    route: "GET /used",
    summary: "Uses the context.",
    input: z.object({}),
    output: z.object({}),
    example: {},
    dependsOn,
    async run(used: BaseContext, _, caller) {
      await use(used as Context, caller);
      return {};
    },
  });
  const caller = { baseUrl: "http://localhost", client: "one", hasWriteToken: false };
  const config = { ...context.config, checkAnswers };
  return runOperation({ ...context, config }, read as never, {}, caller);
};

describe("an operation that uses more than it depends on", () => {
  const uses: [part: string, needed: Dependency, use: Use][] = [
    ["db", "index", ({ db }) => db],
    ["head", "index", ({ head }) => head()],
    ["store", "store", ({ store }) => store()],
    ["tokens.named", "store", ({ tokens }) => tokens.named("x")],
    ["clock", "time", ({ clock }) => clock()],
    ["tokens.find", "time", ({ tokens }) => tokens.find([], 0)],
    ["caller.baseUrl", "baseUrl", (_, { baseUrl }) => baseUrl],
    ["readiness", "untracked", ({ readiness }) => readiness()],
    ["caller.client", "untracked", (_, { client }) => client],
    ["caller.hasWriteToken", "untracked", (_, { hasWriteToken }) => hasWriteToken],
  ];

  it.each(uses)("fails in development: %s without %s", async (part, needed, use) => {
    const others = (["index", "store", "time", "baseUrl"] as const).filter((dependency) => dependency !== needed);
    await expect(run(others, use)).rejects.toThrow(`GET /used uses ${part}; add "${needed}" to its dependsOn`);
    await expect(run([needed], use)).resolves.toEqual({});
    await expect(run(others, use, false)).resolves.toEqual({});
  });

  it("may use settings without a dependency", async () => {
    await expect(run([], ({ config }) => config.chainId)).resolves.toEqual({});
  });
});
