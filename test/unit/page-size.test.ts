import { describe, expect, it } from "vitest";
import { firstRows } from "../../api/core/list";

const row = (id: number, characters: number) => ({ id, nested: { text: "x".repeat(characters) }, none: null });

describe("the rows of a page", () => {
  it("are at most the limit", () => {
    const rows = [row(1, 10), row(2, 10), row(3, 10)];
    expect(firstRows(rows, 2)).toEqual(rows.slice(0, 2));
    expect(firstRows(rows, 3)).toEqual(rows);
    expect(firstRows([], 3)).toEqual([]);
  });

  it("end with the one that exceeds 1 MiB, and are at least one", () => {
    const rows = [row(1, 600_000), row(2, 600_000), row(3, 1)];
    expect(firstRows(rows, 3)).toEqual(rows.slice(0, 2));
    const accented = { text: "é".repeat(600_000) };
    expect(firstRows([accented, accented], 2)).toEqual([accented]);
    expect(firstRows([row(1, 5_000_000), row(2, 1)], 3)).toEqual([row(1, 5_000_000)]);
  });
});
