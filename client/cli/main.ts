#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { type Command, parseCommand } from "./arguments";
import { Failure, WrongUsage } from "./failure";
import { helpFor } from "./help";

const version = (): string => JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).version;

/** An answer for people and programs alike; the text of a document is printed as it is. */
const print = (answer: unknown) => console.log(typeof answer === "string" ? answer : JSON.stringify(answer, null, 2));

/** Does what the command line asks for, and gives the exit code. A command loads what it needs, and no other waits for it. */
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
          ? "Nothing was paid: the service has payment switched off."
          : `${payer} paid for it in transaction ${transaction}`,
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
  if (error instanceof WrongUsage) console.error("intentry --help says how it is written.");
  process.exitCode = 1;
}
