import { afterAll, beforeAll, expect, it } from "vitest";
import { rankingDifferences } from "../support/rankings/differences";
import { DATABASE_SCHEMA } from "../support/index-of";
import { runLegalActions } from "../support/legal-actions";
import { startStack, type Stack } from "../support/stack";
let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ index: false });
  await runLegalActions(stack, { seed: Number(process.env.TRY_SEED ?? 7), count: Number(process.env.TRY ?? 250) });
  await stack.startIndexer();
}, 300000);
afterAll(() => stack?.stop());
it("agrees", async () => {
  const d = await rankingDifferences(stack, DATABASE_SCHEMA);
  console.log(d.length); for (const one of d.slice(0, 12)) console.log(one.slice(0, 3000));
  expect(d.length).toBe(0);
});
