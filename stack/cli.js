#!/usr/bin/env node
// The command line in a checkout. The published package has it built.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { requireBuild } from "./run.js";

requireBuild();
await import(pathToFileURL(join(import.meta.dirname, "..", "dist", "current", "cli.js")).href);
