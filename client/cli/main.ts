#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { type Command, parseCommand } from "./arguments";
import { Failure, WrongUsage } from "./failure";
import { helpFor } from "./help";

const version = (): string => JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;

/** Prints a value as JSON. Strings, such as documents, are printed unchanged. */
const print = (value: unknown) => console.log(typeof value === "string" ? value : JSON.stringify(value, null, 2));

/** Runs a command and returns the exit code. Imports are dynamic, so that each command loads only its own modules. */
async function run(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      print(helpFor(command.topic));
      return 0;
    case "version":
      print(version());
      return 0;
    case "start": {
      const { start } = await import("./start");
      return start();
    }
    case "reindex": {
      const { reindex } = await import("./start");
      return reindex(command.newChain);
    }
    case "mcp": {
      const { serveOverStdio } = await import("./mcp");
      await serveOverStdio(command.service, version());
      return 0;
    }
    case "call": {
      const { call } = await import("./call");
      print(await call(command.service, command.operation, command.input));
      return 0;
    }
    case "pay-portfolio": {
      const { payPortfolio } = await import("./pay-portfolio");
      const { snapshot, payer, transaction } = await payPortfolio({ ...command, url: command.service.url });
      print(snapshot);
      console.error(
        transaction === undefined
          ? "Nothing was paid: payment is disabled on this service."
          : `${payer} paid in transaction ${transaction}`,
      );
      return 0;
    }
  }
}

try {
  process.exitCode = await run(parseCommand(process.argv.slice(2), process.env));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(error.message);
  if (error instanceof WrongUsage) console.error("See intentry --help.");
  process.exitCode = 1;
}
