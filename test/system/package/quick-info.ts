import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const options: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts", "lib.dom.d.ts"],
  types: [],
  strict: true,
  skipLibCheck: true,
};

/** A name in the source of an editor, and the offset of its last part. */
type Shown = { name: string; at: number };

/** The language service that editors use, with one open file in a project folder. */
function editorOf(project: string) {
  const file = join(project, "hovers.ts");
  let text = "";
  let version = 0;
  const host: ts.LanguageServiceHost = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? String(version) : "1"),
    getScriptSnapshot: (name) => {
      if (name === file) return ts.ScriptSnapshot.fromString(text);
      return ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(readFileSync(name, "utf8")) : undefined;
    },
    getCurrentDirectory: () => project,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: (name) => name === file || ts.sys.fileExists(name),
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  };
  const service = ts.createLanguageService(host);
  return {
    open(source: string) {
      text = source;
      version++;
      const program = service.getProgram();
      const opened = program?.getSourceFile(file);
      if (!program || !opened) throw new Error("The language service has no program");
      return { checker: program.getTypeChecker(), opened };
    },
    /** What an editor shows at an offset: the text of the doc comment. */
    documentationAt: (at: number) =>
      ts.displayPartsToString(service.getQuickInfoAtPosition(file, at)?.documentation ?? []),
  };
}

/** Writes one expression or type a line, and remembers where its last name is. */
function sourceOf(
  header: string,
  lines: readonly { name: string; text: string }[],
): { source: string; shown: Shown[] } {
  let source = header;
  const shown = lines.map(({ name, text }) => {
    const at = source.length + text.indexOf("|");
    source += `${text.replace("|", "")}\n`;
    return { name, at };
  });
  return { source, shown };
}

/**
 * The documentation that an editor shows for every export of an installed package, for every helper and procedure of its
 * client, for a parameter, and for a call.
 */
export function quickInfos(project: string, module: string): Map<string, string> {
  const header = `import * as all from "${module}";\nimport type { IntentryClient } from "intentry";\ndeclare const client: IntentryClient;\n`;
  const editor = editorOf(project);
  const { checker, opened } = editor.open(`${header}client;\n`);
  const [imported] = opened.statements;
  if (!imported || !ts.isImportDeclaration(imported)) throw new Error("The first statement is not the import");
  const symbol = checker.getSymbolAtLocation(imported.moduleSpecifier);
  if (!symbol) throw new Error(`${module} can't be resolved`);
  const exported = checker.getExportsOfModule(symbol);
  const client = opened.statements.at(-1);
  if (!client || !ts.isExpressionStatement(client)) throw new Error("The last statement is not the client");
  const membersOf = (type: ts.Type) => checker.getPropertiesOfType(type);
  const typeOf = (member: ts.Symbol) => checker.getTypeOfSymbolAtLocation(member, client);
  const isType = (one: ts.Symbol) => {
    const target = one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one;
    return (target.flags & ts.SymbolFlags.Value) === 0;
  };
  const exports = exported.map((one) => ({
    name: one.name,
    text: isType(one) ? `export type Of${one.name} = all.|${one.name};` : `all.|${one.name};`,
  }));
  const members = membersOf(checker.getTypeAtLocation(client.expression)).flatMap((member) => {
    const procedures = membersOf(typeOf(member)).filter((one) =>
      membersOf(typeOf(one)).some(({ name }) => name === "query" || name === "mutate"),
    );
    if (procedures.length === 0) return [{ name: `client.${member.name}`, text: `client.|${member.name};` }];
    return procedures.map(({ name }) => ({
      name: `${member.name}.${name}`,
      text: `client.${member.name}.|${name};`,
    }));
  });
  const uses = [
    { name: "limit", text: "client.intents.list.query({ |limit: 1 });" },
    { name: "limit of a direct call", text: "client.intents.list({ |limit: 1 });" },
    { name: "a direct call", text: "client.intents.|list({ limit: 1 });" },
  ];
  const { source, shown } = sourceOf(header, [...exports, ...members, ...uses]);
  editor.open(source);
  return new Map(shown.map(({ name, at }) => [name, editor.documentationAt(at)]));
}
