import { describe, expect, it } from "vitest";
import { ratioOf } from "../../bench/reads/comparison";
import { fieldDifference, fieldsOf } from "../../bench/reads/fields";
import { missedBesideCommit, missedBesideExpress } from "../../bench/reads/goals";

describe("the ratio of two servers", () => {
  it("is the median of the rounds' ratios", () => {
    expect(ratioOf([10, 1, 30], [10, 2, 10])).toBe(1);
  });
});

describe("the goals beside another commit", () => {
  it("are 0.85 for every route, hot and cold", () => {
    const met = { label: "GET /a", hot: 0.85, cold: 0.85 };
    const slow = { label: "GET /b", hot: 0.849, cold: 0.5 };
    expect(missedBesideCommit([met, slow])).toEqual([
      "GET /b, hot: 0.849, the goal is 0.85",
      "GET /b, cold: 0.500, the goal is 0.85",
    ]);
  });

  it("are missed by a ratio that is not a number", () => {
    expect(missedBesideCommit([{ label: "GET /a", hot: Number.NaN, cold: 1 }])).toHaveLength(1);
  });
});

describe("the goals beside Express and pg", () => {
  const get = (label: string, hot: number, cold: number) => ({ label, hot, cold });

  it("are met by a median of 4, none below 2.5, 1.0 without the cache and 1.2 for POST", () => {
    const routes = [get("GET /a", 2.5, 1), get("GET /b", 4, 1), get("GET /c", 9, 1)];
    expect(missedBesideExpress([...routes, { label: "POST /d", hot: undefined, cold: 1.2 }], true)).toEqual([]);
  });

  it("name each route that misses one", () => {
    const routes = [get("GET /a", 2.4, 0.9), { label: "POST /d", hot: undefined, cold: 1.1 }];
    expect(missedBesideExpress(routes, true)).toEqual([
      "median of all GET routes, hot: 2.400, the goal is 4",
      "GET /a, hot: 2.400, the goal is 2.5",
      "GET /a, cold: 0.900, the goal is 1",
      "POST /d: 1.100, the goal is 1.2",
    ]);
  });

  it("have no median if only some routes were measured", () => {
    expect(missedBesideExpress([get("GET /a", 3, 2)], false)).toEqual([]);
  });
});

describe("the fields of two answers", () => {
  it("are paths, without the positions of items", () => {
    expect([...fieldsOf({ agents: [{ id: 1 }, { id: 2, owner: { name: "x" } }], total: 2 })]).toEqual([
      "agents",
      "agents[].id",
      "agents[].owner",
      "agents[].owner.name",
      "total",
    ]);
  });

  it("differ if only one answer has a field", () => {
    expect(fieldDifference({ a: 1, b: [{ c: 1 }] }, { a: 2, b: [{ c: 3 }] })).toBeUndefined();
    expect(fieldDifference({ a: 1, b: [{ c: 1 }] }, { a: 1, b: [{ d: 1 }] })).toBe(
      "only ours: b[].c; only theirs: b[].d",
    );
  });
});
