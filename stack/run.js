// Compiles a program and runs it: node stack/run.js stack/start
import { pathToFileURL } from "node:url";
import { compile } from "./compile.js";

const [program] = process.argv.splice(2, 1);
await import(pathToFileURL(await compile(`${program}.ts`)).href);
