import { describe, expect, it } from "vitest";
import { stepOf } from "../../api/indexed/traced-query";

describe("the span of a query", () => {
  it.each([
    ['select "id" from "agent" where "agent"."id" = $1', "SELECT agent"],
    ['insert into "offchain"."document" ("hash") values ($1)', "INSERT offchain.document"],
    ['update "offchain"."payment" set "state" = $1', "UPDATE offchain.payment"],
    ['delete from "offchain"."bid"', "DELETE offchain.bid"],
    ["SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", "SELECT"],
    ["begin", "BEGIN"],
    ["", "QUERY"],
  ])("of %s is %s", (text, name) => {
    expect(stepOf(text)).toMatchObject({ name, attributes: { "db.query.text": text } });
  });

  it("has at most 2,000 characters of its text", () => {
    const { attributes } = stepOf(`select ${"1, ".repeat(10_000)} from "agent"`);
    expect(attributes?.["db.query.text"]).toHaveLength(2_000);
  });
});
