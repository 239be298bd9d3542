import { eventFilters } from "./event-filters";
import type { CliOperation } from "./operation";
import { eventInputs, operations } from "./operations";
import { actionNames, inputsOf, verbs } from "./verbs";

/** The shells with completion. */
export const shells = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof shells)[number];

/** The scripts ask the command itself, so they don't change between versions. */
const scripts: Record<Shell, string> = {
  bash: `\
_intentry() {
  local line="\${COMP_LINE:0:COMP_POINT}" IFS=$' \\t\\n'
  local -a words
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  IFS=$'\\n'
  COMPREPLY=($(intentry __complete "\${words[@]:1}" 2>/dev/null))
  # bash replaces only the part after the last =.
  [[ \${words[-1]} == *=* && $COMP_WORDBREAKS == *=* ]] && COMPREPLY=("\${COMPREPLY[@]#*=}")
  [[ \${COMPREPLY[0]} == *= ]] && type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _intentry intentry`,
  zsh: `\
#compdef intentry
_intentry() {
  local -a found
  found=("\${(@f)$(intentry __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -S '' -- \${(M)found:#*=}
  compadd -- \${found:#*=}
}
compdef _intentry intentry`,
  fish: `\
complete -c intentry -f -a '(intentry __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
};

export const completionScript = (shell: Shell): string => scripts[shell];

const service = ["--url", "--token"];
const format = ["--json", "--table", "--csv"];

const filters = Object.fromEntries(eventFilters.map((name) => [name, eventInputs[name] ?? { type: "text" }]));

/** The options and other words of each command. */
const words: Readonly<Record<string, readonly string[]>> = {
  start: [],
  indexer: [],
  api: [],
  doctor: ["--json"],
  reindex: ["--new-chain"],
  mcp: [...service, "--output-schemas"],
  call: [...service, ...format],
  do: ["--from", "--signer-url", "--yes", "--json", ...service],
  events: ["--url", "--limit", ...format.slice(0, 2)],
  "pay-portfolio": ["--chains", "--key", "--url", "--json"],
  completion: shells,
  help: [],
};

/** The names of inputs that are not given yet, or the values of the one that is typed. */
function inputWords(inputs: CliOperation["inputs"], given: readonly string[], last: string): string[] {
  const [, typed = ""] = /^(\w+)=/.exec(last) ?? [];
  if (Object.hasOwn(inputs, typed)) return inputs[typed]?.values?.map((value) => `${typed}=${value}`) ?? [];
  return Object.keys(inputs)
    .filter((name) => !given.some((word) => word.startsWith(`${name}=`) || word.startsWith(`${name}:=`)))
    .map((name) => `${name}=`);
}

function candidatesAfter(given: readonly string[], last: string): readonly string[] {
  const [command, ...args] = given;
  if (command === undefined) return Object.keys(words);
  if (command === "help") return args.length === 0 ? Object.keys(words) : [];
  const options = Object.hasOwn(words, command) ? (words[command] ?? []) : [];
  if (command === "events") return [...options, ...inputWords(filters, args, last)];
  if (command === "do") {
    const [action] = args;
    return action === undefined
      ? [...Object.keys(verbs), ...actionNames, ...options]
      : [...inputWords(inputsOf(action), args, last), ...options];
  }
  if (command !== "call") return options;
  const operation = args.find((word) => Object.hasOwn(operations, word));
  return operation === undefined
    ? [...Object.keys(operations), ...options]
    : [...inputWords(operations[operation]?.inputs ?? {}, args, last), ...options];
}

/**
 * What the last of these words can become.
 *
 * @example
 * completions(["call", "agents.g"]) // ["agents.get"]
 * completions(["call", "intents.list", "status=o"]) // ["status=open"]
 */
export function completions(typed: readonly string[]): string[] {
  const last = typed.at(-1) ?? "";
  const given = typed.slice(0, -1);
  return candidatesAfter(given, last).filter(
    (word) => word.startsWith(last) && (last !== "" || !word.startsWith("--")),
  );
}
