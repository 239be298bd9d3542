#!/usr/bin/env node
import manifest from "../package.json" with { type: "json" };
import { type Command, parseCommand } from "./arguments";
import { columns } from "./columns";
import { completionScript, completions } from "./completion";
import { exitCodeOf } from "./exit-codes";
import { Failure, WrongUsage } from "./failure";
import { helpFor } from "./help";
import { isForPeople, printExact, printTable, printText } from "./output";

/** Runs a command and returns the exit code. Imports are dynamic, so that each command loads only its own modules. */
async function run(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      printText(helpFor(command.topic, command.operation));
      return 0;
    case "version":
      printText(manifest.version);
      return 0;
    case "start":
    case "indexer":
    case "api": {
      const { start } = await import("./start");
      return start(command.name);
    }
    case "reindex": {
      const { reindex } = await import("./start");
      return reindex(command.newChain);
    }
    case "doctor": {
      const { doctor } = await import("./start");
      return doctor(command.json);
    }
    case "mcp": {
      const { serveOverStdio } = await import("./mcp");
      await serveOverStdio(command.service, manifest.version, { outputSchemas: command.outputSchemas });
      return 0;
    }
    case "operations": {
      const { listOperations } = await import("./call");
      const operations = await listOperations(command.service);
      if (isForPeople(command.format)) printTable(operations, new Map(), undefined);
      else printExact(operations, command.format);
      return 0;
    }
    case "call": {
      const { call } = await import("./call");
      const response = await call(command.service, command.operation, command.input);
      if (isForPeople(command.format)) {
        const { withTokens } = await import("./known-tokens");
        const { value, tokens } = await withTokens(command.service, response);
        printTable(value, tokens, columns[command.operation]);
      } else printExact(response, command.format);
      return 0;
    }
    case "do": {
      const { doAction } = await import("./do");
      await doAction(command);
      return 0;
    }
    case "events": {
      const { printEvents } = await import("./events");
      await printEvents(command.service, command.filter, command.limit, command.format);
      return 0;
    }
    case "completion":
      printText(completionScript(command.shell));
      return 0;
    case "complete":
      for (const word of completions(command.words)) printText(word);
      return 0;
    case "pay-portfolio": {
      const { payPortfolio } = await import("./pay-portfolio");
      const { snapshot, payer, transaction } = await payPortfolio({ ...command, url: command.service.url });
      printExact(snapshot, "json");
      console.error(
        transaction === undefined
          ? "Nothing was paid: payment is disabled on this service."
          : `${payer} paid in transaction ${transaction}`,
      );
      return 0;
    }
  }
}

const argv = process.argv.slice(2);
try {
  process.exitCode = await run(parseCommand(argv, process.env));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  const { message, code } = error;
  if (argv.includes("--json")) console.error(JSON.stringify({ error: message, code }));
  else console.error(error instanceof WrongUsage ? `${message}\nSee intentry --help.` : message);
  process.exitCode = exitCodeOf(code);
}
