#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { z } from "zod";
import { type Command, parseCommand } from "./arguments";
import { call } from "./call";
import { Failure, WrongUsage } from "./failure";
import { helpFor } from "./help";
import { serveOverStdio } from "./mcp";
import { payPortfolio } from "./pay-portfolio";
import { start } from "./start";

const version = () =>
  z.object({ version: z.string() }).parse(JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")))
    .version;

/** An answer for people and programs alike; the text of a document is printed as it is. */
const print = (answer: unknown) => console.log(typeof answer === "string" ? answer : JSON.stringify(answer, null, 2));

/** Does what the command line asks for, and gives the exit code. */
async function run(command: Command): Promise<number> {
  switch (command.name) {
    case "help":
      print(helpFor(command.topic));
      return 0;
    case "version":
      print(version());
      return 0;
    case "start":
      return start();
    case "mcp":
      await serveOverStdio(command.service, version());
      return 0;
    case "call":
      print(await call(command.service, command.operation, command.input));
      return 0;
    case "pay-portfolio": {
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
