import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../deploy/files";
import { loginEnvironment } from "../support/processes";

const guide = readFileSync(join(projectRoot, "docs", "operations.md"), "utf8");

/** The shell blocks in a section of docs/operations.md. */
function blocksOf(heading: string): string[] {
  const [, section = ""] = guide.split(new RegExp(`^#+ ${heading}$`, "m"));
  const [own = ""] = section.split(/^#+ /m);
  return [...own.matchAll(/^( *)```sh\n([^`]*)```/gm)].map(([, indent = "", text = ""]) =>
    text.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  );
}

/** The shell block of docs/operations.md that contains this text. */
export function blockWith(heading: string, text: string): string {
  const block = blocksOf(heading).find((one) => one.includes(text));
  if (!block) throw new Error(`docs/operations.md, ${heading}: no command has ${JSON.stringify(text)}`);
  return block;
}

/** Runs commands of the guide in a new shell, with other paths than in the guide. Throws if one fails, with its output. */
export async function runBlock(
  block: string,
  { cwd, replace = {} }: { cwd?: string; replace?: Record<string, string> } = {},
): Promise<string> {
  let script = block;
  for (const [text, replacement] of Object.entries(replace)) {
    if (!script.includes(text)) throw new Error(`The command does not have ${JSON.stringify(text)}:\n${script}`);
    script = script.replaceAll(text, replacement);
  }
  const { stdout } = await promisify(execFile)("bash", ["-euc", script], {
    ...(cwd && { cwd }),
    env: loginEnvironment(),
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** An environment file with these values, in place of those that it sets or has as comments. */
export function withSettings(text: string, values: Readonly<Record<string, string>>): string {
  return Object.entries(values).reduce((file, [name, value]) => {
    const line = new RegExp(`^#?${name}=.*$`, "m");
    const setting = `${name}="${value}"`;
    return line.test(file) ? file.replace(line, () => setting) : `${file}${setting}\n`;
  }, text);
}
