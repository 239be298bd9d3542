#!/usr/bin/env node
// The command in a checkout, where the sources run as they are. The published package has them built.
import { register } from "tsx/esm/api";

register();
await import("./main.ts");
