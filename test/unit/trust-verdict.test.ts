import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Facts, reasonsOf, verdictOf, verdicts } from "../../api/trust/verdict";

const trusted: Facts = {
  title: "merchant 1",
  inactive: "inactive",
  isActive: true,
  ageDays: 30,
  credit: 1_000,
  counterparties: 40,
  disputes: { open: 0, lost: 0 },
  attestors: 1,
  name: "Skyline Data",
  lookAlikes: 0,
};

const verdict = (facts: Facts) => verdictOf(reasonsOf(facts));

/** The codes of the reasons that are not information. */
const problems = (facts: Facts) =>
  reasonsOf(facts)
    .filter(({ level }) => level !== "info")
    .map(({ code, level }) => `${code}: ${level}`);

const micros = (dollars: number) => BigInt(dollars) * 1_000_000n;

const facts: fc.Arbitrary<Facts> = fc.record(
  {
    title: fc.constant("agent 1"),
    inactive: fc.constantFrom("inactive", "revoked"),
    isActive: fc.boolean(),
    ageDays: fc.nat(20),
    credit: fc.nat(3_000),
    counterparties: fc.nat(100),
    disputes: fc.record({ open: fc.nat(20), lost: fc.nat(60) }),
    attestors: fc.nat(3),
    name: fc.option(fc.string()),
    lookAlikes: fc.nat(2),
    token: fc.record({ isListed: fc.boolean() }),
    amount: fc.record({ dollars: fc.option(fc.bigInt(0n, 1_000n)), usual: fc.option(fc.bigInt(0n, 100n)) }),
  },
  {
    requiredKeys: [
      ...(["title", "inactive", "isActive", "ageDays", "credit", "counterparties", "attestors"] as const),
      ...(["name", "lookAlikes"] as const),
    ],
  },
);

describe("the verdict", () => {
  it("is proceed for a record with a history", () => {
    expect(verdict(trusted)).toBe("proceed");
    expect(reasonsOf(trusted).map(({ code }) => code)).toEqual([
      ...["status", "age", "payments", "disputes", "attestations", "name"],
    ]);
  });

  it.each<[string, Partial<Facts>, string[]]>([
    ["an inactive record", { isActive: false }, ["status: avoid"]],
    ["a record of 6 days", { ageDays: 6 }, ["age: review"]],
    ["a record of 7 days", { ageDays: 7 }, []],
    ["a credit of 59", { credit: 59 }, ["payments: review"]],
    ["a credit of 60", { credit: 60 }, []],
    ["5 disputes for 100 settlements", { disputes: { open: 3, lost: 2 } }, []],
    ["6 disputes for 100 settlements", { disputes: { open: 6, lost: 0 } }, ["disputes: review"]],
    ["20 lost disputes for 100 settlements", { disputes: { open: 0, lost: 20 } }, ["disputes: review"]],
    ["21 lost disputes for 100 settlements", { disputes: { open: 0, lost: 21 } }, ["disputes: avoid"]],
    ["one lost dispute of a beginner", { credit: 60, disputes: { open: 0, lost: 1 } }, ["disputes: review"]],
    ["a look-alike name", { lookAlikes: 1 }, ["name: review"]],
    ["an unlisted token", { token: { isListed: false } }, ["token: review"]],
    ["ten times the usual amount", { amount: { dollars: micros(20), usual: micros(2) } }, []],
    ["more than ten times", { amount: { dollars: micros(20) + 1n, usual: micros(2) } }, ["amount: review"]],
    ["an amount without a price", { amount: { dollars: null, usual: micros(2) } }, ["amount: review"]],
    ["an amount without a history", { amount: { dollars: micros(2), usual: null } }, ["amount: review"]],
  ])("considers %s", (_, change, expected) => {
    expect(problems({ ...trusted, ...change })).toEqual(expected);
  });

  it("says the limit of each rule", () => {
    const amount = { dollars: 25_500_000n, usual: micros(2) };
    expect(reasonsOf({ ...trusted, ageDays: 1, credit: 0, amount }).map(({ message }) => message)).toEqual([
      "The merchant 1 is active.",
      "Registered 1 day ago. Records of less than 7 days are new.",
      "Payments with 40 counterparties give it a credit of 0. Less than 60 is little.",
      "0 open disputes, 0 lost.",
      "1 active attestor attests its address.",
      "No record with as much credit has a name that looks like its name.",
      "The amount is $25.50, the average of recent proven payments $2: more than 10 times as much.",
    ]);
  });

  it("says how many disputes are too many", () => {
    const messageOf = (change: Partial<Facts>) =>
      reasonsOf({ ...trusted, ...change }).find(({ code }) => code === "disputes")?.message;
    const of = "of the settlements that a credit of 1000 stands for";
    expect(messageOf({ credit: 1000, disputes: { open: 6, lost: 1 } })).toBe(
      `6 open disputes, 1 lost: more than 5 % ${of}.`,
    );
    expect(messageOf({ credit: 1000, disputes: { open: 0, lost: 21 } })).toBe(
      `0 open disputes, 21 lost: lost are more than 20 % ${of}.`,
    );
  });

  it("never improves with more disputes, less credit or less age", () => {
    fc.assert(
      fc.property(facts, fc.nat(20), (given, more) => {
        const before = verdicts.indexOf(verdict(given));
        const worse: Partial<Facts>[] = [
          { isActive: false },
          { credit: Math.max(0, given.credit - more) },
          { ageDays: Math.max(0, given.ageDays - more) },
          { lookAlikes: given.lookAlikes + more },
        ];
        if (given.disputes) {
          const { open, lost } = given.disputes;
          worse.push({ disputes: { open, lost: lost + more } }, { disputes: { open: open + more, lost } });
        }
        for (const change of worse)
          expect(verdicts.indexOf(verdict({ ...given, ...change }))).toBeGreaterThanOrEqual(before);
      }),
    );
  });

  it("is that of the worst reason", () => {
    fc.assert(
      fc.property(facts, (given) => {
        const found = reasonsOf(given).map(({ level }) => level);
        expect(verdict(given)).toBe(
          found.includes("avoid") ? "avoid" : found.includes("review") ? "review" : "proceed",
        );
      }),
    );
  });
});
