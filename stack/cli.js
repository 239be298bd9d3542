#!/usr/bin/env node
// The command in a checkout, where the sources are compiled when they have changed. The published package has them built.
import { pathToFileURL } from "node:url";
import { compile } from "./compile.js";

await import(pathToFileURL(await compile("client/cli/main.ts")).href);
