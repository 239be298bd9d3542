import type { CliInput, CliOperation } from "./operation";
import { wordsOf } from "./shell-words";

const WIDTH = 100;
const INDENT = 6;

/** Breaks a text into lines. */
function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > WIDTH - INDENT) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

function inputLines(
  name: string,
  { type, values, required, default: byDefault, description }: CliInput,
  width: number,
) {
  const what = [
    values ? values.join(" | ") : type,
    ...(required ? ["required"] : []),
    ...(byDefault === undefined ? [] : [`default: ${byDefault}`]),
  ].join(", ");
  const [first = "", ...rest] = wrapped(what);
  const indent = " ".repeat(INDENT);
  const more = [...rest, ...(description ? wrapped(description) : [])].map((line) => `${indent}${line}`);
  return [`  ${name.padEnd(width)}  ${first}`, ...more];
}

const commandOf = (command: string, words: readonly string[]) => `  ${["intentry", command, ...words].join(" ")}`;

/** The example, preceded by the command whose response has a value that differs between chains. */
function exampleLines(command: string, { example, exampleSource: source }: CliOperation): string[] {
  if (!source) return ["Example:", "", commandOf(command, wordsOf(example))];
  const { [source.parameter]: _, ...others } = example;
  return [
    `Example, with the ${source.key} in the response of the first command:`,
    "",
    commandOf(`call ${source.operation}`, wordsOf(source.example)),
    commandOf(command, [`${source.parameter}=<${source.key}>`, ...wordsOf(others)]),
  ];
}

/** The help of an operation: its inputs with types and defaults, and an example of the command that runs it. */
export function operationHelp(command: string, operation: CliOperation): string {
  const { summary, description, inputs } = operation;
  const names = Object.keys(inputs);
  const width = Math.max(0, ...names.map(({ length }) => length));
  return [
    `intentry ${command}${names.length > 0 ? " [<name>=<value>]..." : ""}`,
    "",
    ...wrapped([summary, description].filter(Boolean).join(" ")),
    "",
    ...(names.length > 0 ? ["Inputs:", ""] : ["It has no inputs."]),
    ...Object.entries(inputs).flatMap(([input, about]) => inputLines(input, about, width)),
    "",
    ...exampleLines(command, operation),
  ].join("\n");
}
