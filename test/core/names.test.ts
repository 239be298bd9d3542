import type { Address } from "viem";
import { beforeAll, describe, expect, it } from "vitest";
import { readChain } from "../support/agreement/chain";
import { type SampleStack, sampleStack } from "../support/shared-stack";
import { type ContractRows, contractRows, distinct } from "./documented/rows";

type Named = { type: string; id: string; name: string; metadata_state: string; account?: string };

/** The records that name accounts: their kind, id and address on the chain, in the order of preference. */
const namingRecords = (rows: ContractRows): { type: string; id: bigint | string; account: Address }[] => [
  ...rows.solver.map(({ solverId, operator }) => ({ type: "solver", id: solverId, account: operator })),
  ...rows.merchant.map(({ merchantId, owner }) => ({ type: "merchant", id: merchantId, account: owner })),
  ...rows.agent.map(({ agentId, owner }) => ({ type: "agent", id: agentId, account: owner })),
  ...rows.attestor.map(({ attestorId, operator }) => ({ type: "attestor", id: attestorId, account: operator })),
  ...rows.facilitator.map((row) => ({ type: "facilitator", id: row.facilitatorId, account: row.facilitator })),
];

describe("the names of accounts, on the sample chain", () => {
  let stack: SampleStack;
  let records: ReturnType<typeof namingRecords>;

  beforeAll(async () => {
    stack = await sampleStack();
    records = namingRecords(await contractRows(await readChain(stack)));
  }, 180_000);

  const namesOf = async (asked: readonly string[]): Promise<Named[]> => {
    const response = await fetch(`${stack.apiUrl}/names?records=${asked.join()}`);
    expect(response.status).toBe(200);
    return ((await response.json()) as { names: Named[] }).names;
  };

  it("are those of the first named record of the first kind that the chain knows them for", async () => {
    const accounts = distinct(records.map(({ account }) => account));
    const byId = await namesOf(records.map(({ type, id }) => `${type}-${id}`));
    const expected = accounts.toSorted().flatMap((account) => {
      const first = records.filter(
        (record, index) =>
          record.account === account &&
          records.findIndex((other) => other.account === account && other.type === record.type) === index,
      );
      const named = first.flatMap(({ type, id }) => byId.filter((one) => one.type === type && one.id === String(id)));
      return named.slice(0, 1).map((one) => ({ ...one, account }));
    });
    expect(expected.map(({ type }) => type)).toEqual(expect.arrayContaining(["solver", "merchant", "agent"]));
    expect(await namesOf(accounts.map((account) => `account-${account}`))).toEqual(expected);
  });

  it("come after those of records, each once, in any letter case", async () => {
    const merchant = records.find(({ type }) => type === "merchant");
    const account = merchant?.account ?? "0x";
    const names = await namesOf([
      `account-${account.toUpperCase().replace("0X", "0x")}`,
      `account-${account}`,
      "agent-1",
    ]);
    expect(names.map(({ type, account }) => [type, account])).toEqual([
      ["agent", undefined],
      ["merchant", account],
    ]);
  });

  it("are missing for accounts without a record, and other texts are rejected", async () => {
    expect(await namesOf([`account-0x${"12".repeat(20)}`])).toEqual([]);
    for (const asked of [
      "account-1",
      "account-0x12",
      `account-0x${"1".repeat(40)}-1`,
      `merchant-0x${"1".repeat(40)}`,
    ]) {
      const response = await fetch(`${stack.apiUrl}/names?records=${asked}`);
      expect([asked, response.status]).toEqual([asked, 400]);
    }
  });
});
