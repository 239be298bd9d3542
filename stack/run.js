// Compiles a program and runs it: node stack/run.js stack/start
import { pathToFileURL } from "node:url";
import { compile } from "./compile.js";
import { noticeWhile, printStarting } from "./compiling-notice.js";

const [program] = process.argv.splice(2, 1);
const compiling = compile(`${program}.ts`);
// The output of other programs is for programs.
const file = program === "stack/start" ? await noticeWhile(compiling, printStarting) : await compiling;
await import(pathToFileURL(file).href);
