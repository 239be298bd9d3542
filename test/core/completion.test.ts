import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Shell } from "../../client/cli/completion";
import { cliFile } from "../support/cli-run";
import { findProgram, run } from "../support/programs";

/** Loads the completion script as its users do, completes the line `$1`, and prints the candidates. */
const programs: Record<Shell, string[]> = {
  bash: [
    "-c",
    `eval "$(intentry completion bash)"; COMP_LINE=$1 COMP_POINT=\${#1}; _intentry; printf '%s\n' "\${COMPREPLY[@]}"`,
    "bash",
  ],
  // Completion itself needs a terminal. compdef and compadd are zsh's; these print what they are given.
  zsh: [
    "-fc",
    `compdef() { [[ $* == "_intentry intentry" ]] }
     compadd() { while [[ $1 != -- ]]; do shift; done; shift; for word; do print -r -- $word; done }
     eval "$(intentry completion zsh)"; words=("\${(@s: :)1}") CURRENT=\${#words}; _intentry`,
    "zsh",
  ],
  fish: ["--no-config", "-c", "intentry completion fish | source; complete -C $argv[1]"],
};

describe("completion scripts", () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "intentry-completion-"));
    const program = `#!/bin/sh\nexec '${process.execPath}' '${cliFile}' "$@"\n`;
    await writeFile(join(folder, "intentry"), program, { mode: 0o755 });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  for (const [shell, args] of Object.entries(programs)) {
    const path = findProgram(shell as Shell);

    it.skipIf(!path).each([
      ["intentry ev", ["events"]],
      ["intentry call agents.", ["agents.get", "agents.list", "agents.reputation"]],
      ["intentry call intents.list status=open inp", ["input_token="]],
      ["intentry call intents.list status=o", shell === "bash" ? ["open"] : ["status=open"]],
      ["intentry events name=AgentRev", shell === "bash" ? ["AgentRevoked"] : ["name=AgentRevoked"]],
      ["intentry completion ", ["bash", "zsh", "fish"]],
      ["intentry frob ", []],
    ])(`complete in ${shell}: %s`, (line, expected) => {
      const env = { ...process.env, HOME: folder, PATH: `${folder}${delimiter}${process.env.PATH}` };
      const { status, stdout, output } = run(path ?? shell, [...args, line], { env });
      const found = stdout.split("\n").filter((word) => word !== "");
      expect({ status, found: found.sort() }, output).toEqual({ status: 0, found: [...expected].sort() });
    });
  }
});
