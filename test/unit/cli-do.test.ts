import { describe, expect, it } from "vitest";
import { parseCommand } from "../../client/cli/arguments";
import { completions } from "../../client/cli/completion";
import { WrongUsage } from "../../client/cli/failure";
import { helpFor } from "../../client/cli/help";
import { castLines, planText } from "../../client/cli/plan";
import { actionNames, verbs } from "../../client/cli/verbs";
import type { PreparedAction } from "../../client/src/index";

const from = "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65";
const asked = (...words: string[]) => parseCommand(["do", ...words], {});

describe("intentry do", () => {
  it("takes a short name with values in the order of the inputs, required ones first", () => {
    expect(asked("bid", "5", "955tUSD", "fee=1", "--from", from)).toEqual({
      name: "do",
      service: { url: "http://localhost:3001", token: undefined },
      action: "submitBid",
      input: { intent_id: "5", amount_out: "955tUSD", fee: "1", from },
      signerUrl: undefined,
      yes: false,
      json: false,
    });
    expect(asked("select", "5", "3", "--from", from)).toMatchObject({ input: { intent_id: "5", bid_id: "3" } });
    expect(asked("dispute", "1", "It is late", "--from", from)).toMatchObject({
      action: "openDispute",
      input: { receipt_id: "1", reason: "It is late" },
    });
  });

  it("takes inputs as options, by the last word if it is unique", () => {
    const input = { intent_id: "5", amount_out: "955tUSD", from };
    expect(asked("bid", "5", "--out", "955tUSD", "--from", from)).toMatchObject({ action: "submitBid", input });
    expect(asked("bid", "5", "--amount-out=955tUSD", "--from", from)).toMatchObject({ input });
    expect(asked("--from", from, "select", "--intent-id", "5", "--bid-id", "3")).toMatchObject({
      input: { intent_id: "5", bid_id: "3" },
    });
    // --token is the write token.
    const limit = asked("set-spend-limit", "token=tUSD", "--day", "5", "--token", "secret", "--from", from);
    expect(limit).toMatchObject({ input: { token: "tUSD", max_per_day: "5" }, service: { token: "secret" } });
  });

  it.each(["registerAgent", "register-agent"])("takes the name of any action, as %s", (name) => {
    expect(asked(name, 'metadata:={"name":"Ada"}', `from=${from}`)).toMatchObject({
      action: "registerAgent",
      input: { metadata: { name: "Ada" }, from },
    });
  });

  it("sends with --signer-url", () => {
    expect(asked("cancel", "5", "--from", from, "--signer-url", "http://localhost:8545", "--yes")).toMatchObject({
      signerUrl: "http://localhost:8545/",
      yes: true,
    });
  });

  it("has short names of existing actions", () => {
    for (const action of Object.values(verbs)) expect(actionNames).toContain(action);
  });

  it.each<[string[], string | RegExp]>([
    [[], "The action is missing, such as bid or registerAgent"],
    [["bidd", "5"], "Unknown action bidd. Did you mean bid?"],
    [["constructor"], /^Unknown action constructor\. /],
    [["cancel", "5"], "--from is missing: the address of the account that acts"],
    [["cancel", "5", "6", "--from", from], "Unexpected argument: 6"],
    [["cancel", "5", "intent_id=5", "--from", from], "intent_id is given twice"],
    [["cancel", "5", `from=${from}`, "--from", from], "from is given twice"],
    [["cancel", "5", "--from", from, "--yes"], "--yes needs --signer-url, which sends"],
    [["cancel", "5", "--from", from, "--signer-url", "anvil"], /^--signer-url: must be an http:\/\/ or https:\/\/ URL/],
    [["cancel", "5", "--from", from, "--out", "1"], /^--out: unknown; /],
    [["select", "5", "--id", "1", "--from", from], /^--id: unknown; the options are --from, /],
    [["bid", "5", "1", "--out", "2", "--from", from], "amount_out is given twice"],
  ])("rejects %j", (words, message) => {
    expect(() => asked(...words)).toThrow(WrongUsage);
    expect(() => asked(...words)).toThrow(message);
  });

  it("has help, with the inputs of each action", () => {
    expect(helpFor("do")).toContain("bid        submitBid");
    expect(asked("bid", "--help")).toEqual({ name: "help", topic: "do", operation: "actions.submitBid" });
    expect(helpFor("do", "actions.submitBid")).toMatch(/^intentry do submitBid \[<name>=<value>\]/);
    expect(helpFor("do", "actions.submitBid")).toContain(`intentry do submitBid from=${from} intent_id=5`);
  });

  it.each([
    [["do", "regist"], actionNames.filter((name) => name.startsWith("regist"))],
    [["do", "b"], ["bid"]],
    [
      ["do", "bid", "am"],
      ["amount_out=", "amount_in="],
    ],
    [["do", "bid", "account="], ["account=policy"]],
    [["do", "bid", "--s"], ["--signer-url"]],
  ])("completes %j", (typed, found) => {
    expect(completions(typed)).toEqual(found);
  });
});

const url = "http://localhost:3001";

const transaction = {
  from: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
  to: "0x5fbdb2315678afecb367f032d93f642f64180aa3",
  data: "0xabcd",
  value: "7",
  chainId: 31337,
  gas: "65000",
  description: "IntentBook.cancelIntent(intentId: 5)",
} as const;

const prepared: PreparedAction = {
  summary: "Cancel intent 5.",
  transactions: [transaction],
  simulation: {
    ok: true,
    method: "eth_simulateV1",
    note: null,
    results: [
      {
        ok: true,
        gas_used: "52000",
        revert: null,
        events: [
          {
            address: transaction.to,
            contract: "IntentBook",
            event: "IntentCancelled",
            args: { intentId: "5" },
            description: "Intent #5 cancelled by its owner",
          },
        ],
      },
    ],
  },
  warnings: [{ code: "deadline", message: "It is late." }],
  next: null,
};

describe("the plan of an action", () => {
  it("has the summary, the transactions, the simulation and the warnings", () => {
    expect(planText(prepared).split("\n")).toEqual([
      "Cancel intent 5.",
      "",
      "1. IntentBook.cancelIntent(intentId: 5)",
      `   to ${transaction.to}`,
      "   value 7",
      "   data 0xabcd",
      "",
      "Simulation (eth_simulateV1): succeeds with 52000 gas",
      "  Intent #5 cancelled by its owner",
      "",
      "Warnings:",
      "  It is late.",
    ]);
  });

  it("says why the action would revert, and what to do", () => {
    const revert = { error: "BidExpired", reason: "Bid 3 expired.", fix: "Select another one." };
    const results = [{ ok: false, gas_used: null, revert, events: [] }];
    const simulation = { ok: false, method: "eth_call", note: "Only the first.", results } as const;
    const text = planText({ ...prepared, simulation, warnings: [] });
    expect(text.split("\n").slice(-4)).toEqual([
      "Simulation (eth_call): reverts with BidExpired",
      "  Bid 3 expired.",
      "  Select another one.",
      "  Only the first.",
    ]);
  });

  it("attack: texts of others can't write lines of their own, or control the terminal", () => {
    const text = planText({ ...prepared, summary: "Pay.\n\u001b[2JSimulation: succeeds" });
    expect(text.split("\n")[0]).toContain("Simulation: succeeds");
    expect(text).not.toContain("\u001b");
  });

  it("is a line for cast for each transaction", () => {
    expect(
      castLines(
        { ...prepared, transactions: [transaction, { ...transaction, data: "0x" }] },
        { sender: from, action: "cancelIntent", url },
      ),
    ).toEqual([
      `cast send --from ${from} --chain 31337 --value 7 ${transaction.to} 0xabcd`,
      `cast send --from ${from} --chain 31337 --value 7 ${transaction.to}`,
    ]);
  });

  it("is a signature and the signed action for typed data", () => {
    const typed_data = { domain: { chainId: 31337 }, types: {}, primaryType: "Intent", message: { who: "it's me" } };
    const next = { description: "", action: "submitIntent", input: { from, amount_in_max: "1" } };
    const action = { ...prepared, transactions: [], simulation: null, typed_data, next };
    expect(castLines(action, { sender: from, action: "submitIntent", url })).toEqual([
      `cast wallet sign --data '${JSON.stringify(typed_data).replace("'", "'\\''")}'`,
      `intentry do submitIntent from=${from} amount_in_max=1 --url ${url} signature=…`,
    ]);
  });

  it("attack: a service can't put commands into the lines", () => {
    const hostile = { ...transaction, to: "0x$(reboot)`x`", data: "0x;rm" } as unknown as typeof transaction;
    const [line] = castLines({ ...prepared, transactions: [hostile] }, { sender: from, action: "cancelIntent", url });
    expect(line).toBe(`cast send --from ${from} --chain 31337 --value 7 '0x$(reboot)\`x\`' '0x;rm'`);
  });
});
