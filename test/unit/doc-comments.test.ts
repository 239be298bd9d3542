import { expect, it } from "vitest";
import { separateDocComments } from "../../scripts/doc-comments";

it.each([
  ["id: string; /** The name. */\n  name: string;", "id: string;\n/** The name. */\n  name: string;"],
  [
    "type A = {\n  /** One. */one: 1; /** Two. */\n  two: 2;\n};",
    "type A = {\n/** One. */\n  one: 1;\n/** Two. */\n  two: 2;\n};",
  ],
  ["/**\n * Two\n * lines\n */\ndeclare const a: 1;", "/**\n * Two\n * lines\n */\ndeclare const a: 1;"],
  ["a: 1; // no /* doc */ comment\nb: 2;", "a: 1; // no /* doc */ comment\nb: 2;"],
])("puts doc comments on lines of their own: %j", (declarations, expected) => {
  expect(separateDocComments(declarations).replace(/\n +/g, "\n")).toBe(expected.replace(/\n +/g, "\n"));
});
