import { describe, expect, it } from "vitest";
import { freeCalls } from "../../api/operations/index";
import { completionScript, completions, shells } from "../../client/cli/completion";
import { helpFor } from "../../client/cli/help";

describe("completion", () => {
  it("knows every command of the help, and every operation", () => {
    const inHelp = new Set([...helpFor(undefined).matchAll(/^ {2}intentry ([a-z][a-z-]*)/gm)].map(([, name]) => name));
    expect(new Set(completions([""]))).toEqual(new Set([...inHelp, "help"]));
    expect(completions(["call", ""])).toEqual(freeCalls.map(({ name }) => name));
  });

  it.each([
    [["e"], ["events"]],
    [
      ["call", "tokens."],
      ["tokens.get", "tokens.prices"],
    ],
    [["call", "tokens.get", ""], ["address="]],
    [["call", "tokens.get", "address=0x00", ""], []],
    [
      ["call", "--"],
      ["--url", "--token", "--json", "--table", "--csv"],
    ],
    [["call", "--url", "http://localhost:3001", "tokens.get", "a"], ["address="]],
    [["events", "from"], ["from_block="]],
    [
      ["events", "name=AgentR"],
      ["name=AgentRegistered", "name=AgentRevoked"],
    ],
    [
      ["call", "intents.list", "status="],
      ["status=open", "status=filled", "status=cancelled", "status=expired"],
    ],
    [["call", "intents.list", "limit=1", "status=o"], ["status=open"]],
    [
      ["call", "events.recent", "name=IntentF"],
      ["name=IntentFillProof", "name=IntentFilled"],
    ],
    [
      ["call", "solvers.list", "active="],
      ["active=true", "active=false"],
    ],
    [["call", "tokens.get", "address="], []],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["help", "ca"], ["call"]],
    [["constructor", ""], []],
    [["call", "constructor", "x"], []],
  ])("completes %j to %j", (typed, found) => {
    expect(completions(typed)).toEqual(found);
  });

  it.each(shells)("has a script for %s that asks the command", (shell) => {
    expect(completionScript(shell)).toContain("intentry __complete ");
  });
});
