import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { projectRoot } from "../../config/project-root";

const folder = join(projectRoot, "explorer");
const TOKENS = "styles/tokens.css";

const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
const textsOf = (ending: RegExp) =>
  new Map(files.filter((file) => ending.test(file)).map((file) => [file, readFileSync(join(folder, file), "utf8")]));

const styles = new Map(
  [...textsOf(/\.css$/)].map(([file, text]) => [file, text.replace(/\/\*.*?\*\//gs, "")] as const),
);
const sources = [...textsOf(/\.tsx?$/).values()].join("\n");
const allStyles = [...styles.values()].join("\n");

const matchesIn = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name = ""]) => name));

/** Names that components compose, such as `status-open`. */
const COMPOSED = /^(status|slice|method)-/;

describe("the style sheets of the explorer", () => {
  it("have no rule that no component uses", () => {
    const selectors = [...matchesIn(allStyles, /([^{}]+)\{/g)].filter((selector) => !selector.includes("@"));
    const names = matchesIn(selectors.join("\n"), /[.#]([a-z][\w-]*)/g);
    expect(names.size).toBeGreaterThan(100);
    const unused = [...names].filter(
      (name) => !COMPOSED.test(name) && !new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(sources),
    );
    expect(unused).toEqual([]);
  });

  it("use the colors of the design tokens, and every token", () => {
    for (const [file, text] of styles)
      if (file !== TOKENS)
        expect([file, text.match(/#[0-9a-f]{3,8}\b(?=[ ;,)])|\b(rgb|hsl)a?\(/gi)]).toEqual([file, null]);
    const defined = matchesIn(styles.get(TOKENS) ?? "", /(--[\w-]+):/g);
    const used = matchesIn(allStyles, /var\((--[\w-]+)\)/g);
    expect([...used].filter((name) => !defined.has(name))).toEqual([]);
    expect([...defined].filter((name) => !used.has(name))).toEqual([]);
  });

  it("give every state of a good or bad outcome its color", () => {
    const states = matchesIn(allStyles, /\.status-([a-z]+)/g);
    // What is over, or not decided, is grey.
    const grey = ["UNFULFILLED", "UNSETTLED", "FINALIZED", "INACTIVE"];
    const written = matchesIn(sources, /"([A-Z]{4,})"/g);
    const shown = [
      "LISTED",
      "UNLISTED",
      "ACTIVE",
      "REVOKED",
      "READY",
      "BEHIND",
      "ALLOWED",
      "DENIED",
      "FULFILLED",
      "SETTLED",
      "REVERTED",
      "VALID",
    ];
    for (const state of shown)
      expect([state, written.has(state), states.has(state.toLowerCase())]).toEqual([state, true, true]);
    for (const state of grey) expect(states.has(state.toLowerCase())).toBe(false);
    for (const state of [
      "open",
      "pending",
      "filled",
      "selected",
      "disputed",
      "resolved",
      "failed",
      "ok",
      "unreachable",
      "proceed",
      "review",
      "avoid",
    ])
      expect([state, states.has(state)]).toEqual([state, true]);
    for (const state of ["expired", "cancelled", "rejected"])
      expect([state, states.has(state)]).toEqual([state, false]);
  });
});
