import { eventFilters } from "./event-filters";
import { operations } from "./operations";

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
const format = ["--json", "--table"];

/** The options and other words of each command. */
const words: Readonly<Record<string, readonly string[]>> = {
  start: [],
  indexer: [],
  api: [],
  doctor: ["--json"],
  backup: [],
  restore: ["--replace", "--yes"],
  reindex: ["--new-chain"],
  mcp: [...service, "--output-schemas"],
  call: [...service, ...format],
  events: ["--url", "--limit", ...format, ...eventFilters.map((name) => `${name}=`)],
  "pay-portfolio": ["--chains", "--key", "--url"],
  completion: shells,
  help: [],
};

/** The names of an operation's parameters that are not given yet. */
const parametersOf = (operation: string, given: readonly string[]) =>
  (Object.hasOwn(operations, operation) ? (operations[operation] ?? []) : [])
    .filter((name) => !given.some((word) => word.startsWith(`${name}=`) || word.startsWith(`${name}:=`)))
    .map((name) => `${name}=`);

function candidatesAfter(given: readonly string[]): readonly string[] {
  const [command, ...args] = given;
  if (command === undefined) return Object.keys(words);
  if (command === "help") return args.length === 0 ? Object.keys(words) : [];
  const options = Object.hasOwn(words, command) ? (words[command] ?? []) : [];
  if (command !== "call") return options;
  const operation = args.find((word) => Object.hasOwn(operations, word));
  return operation === undefined
    ? [...Object.keys(operations), ...options]
    : [...parametersOf(operation, args), ...options];
}

/**
 * What the last of these words can become.
 *
 * @example
 * completions(["call", "agents.g"]) // ["agents.get"]
 */
export function completions(typed: readonly string[]): string[] {
  const last = typed.at(-1) ?? "";
  const given = typed.slice(0, -1);
  return candidatesAfter(given).filter((word) => word.startsWith(last) && (last !== "" || !word.startsWith("--")));
}
