import type { Topic } from "./arguments";
import { exitCodes } from "./exit-codes";
import { operationHelp } from "./operation-help";
import { operations } from "./operations";
import { PREFIX, verbs } from "./verbs";

const overview = `\
Intentry indexes an on-chain protocol of AI agents and serves it over HTTP.

  intentry start                        start the local stack (in a checkout of the repository)
  intentry indexer                      start the indexer alone (in a checkout)
  intentry api                          start gateways alone, on the database of an indexer (in a checkout)
  intentry doctor                       check the configuration, the chain and the database (in a checkout)
  intentry reindex                      rebuild the index after a reorg beyond finality (in a checkout)
  intentry call                         list the operations of the service
  intentry call <operation> [input]     call an operation and print the response
  intentry call <operation> --help      show the inputs of an operation, with an example
  intentry do <action> [input]          show an action of the protocol as transactions, and send them
  intentry events [<filters>]           print events as they happen
  intentry mcp                          serve the MCP tools over stdio
  intentry pay-portfolio <address>      buy a wallet's portfolio with x402
  intentry completion <shell>           print a completion script for bash, zsh or fish

  intentry <command> --help             show the details and examples of a command
  intentry --version                    print the version

call, do, events, mcp and pay-portfolio use the service at --url or INTENTRY_URL (default: http://localhost:3001).
If the service requires a write token, set --token or INTENTRY_TOKEN.

Exit codes: 0 success
${exitCodes.map(({ exit, when }) => `            ${exit} ${when}`).join("\n")}
            1 any other failure

Examples:

  intentry call status.ready
  intentry call intents.list status=filled
  intentry do bid 5 955tUSD --from 0x15d34aaf54267db7d7c367839aaf71a00a2c6a65
  intentry events from_block=0 name=IntentFilled`;

/** Lines in three columns. */
const columnsOf = (lines: readonly string[]) =>
  Array.from({ length: Math.ceil(lines.length / 3) }, (_, row) =>
    `  ${lines
      .slice(row * 3, row * 3 + 3)
      .map((line) => line.padEnd(32))
      .join("")}`.trimEnd(),
  ).join("\n");

const ofCommand: Record<Topic, string> = {
  start: `\
intentry start

Starts a local chain with the contracts and ten days of sample activity, the indexer, and the gateway on port
3001, and prints example requests. Same as npm start. Requires a checkout of the repository. Stop it with Ctrl-C.

  intentry start
  API_PORT=4001 intentry start          use another port (.env.example lists all variables)`,

  indexer: `\
intentry indexer

Starts the indexer alone, for gateways that run elsewhere with intentry api. It publishes its settings in the database
for them. Needs DATABASE_URL and a chain (NETWORK or CHAIN_ID). Same as npm run indexer. Requires a checkout of the
repository. Stop it with Ctrl-C.

  intentry indexer`,

  api: `\
intentry api

Starts gateways alone, on any machine. They need only DATABASE_URL: other settings come from the indexer, unless they are
set here. Same as npm run api. Requires a checkout of the repository. Stop it with Ctrl-C.

  DATABASE_URL=postgres://… intentry api
  API_PORT=3002 API_WORKERS=4 intentry api`,

  reindex: `\
intentry reindex [--new-chain]

Rebuilds the index after a reorg beyond finality: deletes the orphaned blocks from the sync cache and drops the
index. The next start indexes the chain again and uses the cache where it can. Fails while an indexer is running.
Requires a checkout of the repository and the indexer's variables (DATABASE_URL, RPC_URL, …).

  intentry reindex
  intentry reindex --new-chain          drop the whole cache: another chain has the same chain id`,

  doctor: `\
intentry doctor [--json]

Checks the configured installation and prints one line per check, with what to do about a problem: the variables,
every RPC node, the contracts and their ABIs, the database and its replicas, payments, the clocks, and who answers at
PUBLIC_BASE_URL. Changes nothing. Reads the same variables and files as start. Prints no passwords and no keys.
Exits with 0 if nothing failed, with 1 if a check failed and with 78 if a variable is invalid.
Requires a checkout of the repository.

  intentry doctor
  intentry doctor --json                for programs: { "ok": …, "checks": [{ "name", "status", "message", "advice" }] }`,

  call: `\
intentry call [<operation> [<name>=<text> | <name>:=<json> | <json object>]...] 
              [--json | --table | --csv] [--url <address>] [--token <token>]

Calls an operation and prints the response: for people on a terminal, and as JSON elsewhere. --json, --table and --csv
choose. Without an operation, it lists all operations. intentry call <operation> --help shows the inputs of one.

Tables have the main fields, amounts with their decimals and symbols, and shortened addresses. JSON and CSV have all
fields and exact values. Errors go to stderr, with --json as {"error", "code"}; intentry --help has the exit codes.

  intentry call
  intentry call status.ready
  intentry call agents.get agentId=1
  intentry call intents.list status=open limit=2
  intentry call intents.list '{"status":"open","limit":2}'
  intentry call schemas.publish name=price_feed 'json_schema:={"type":"object"}'
  intentry call documents.publishCatalog 'catalog_json={"services":[]}'
  intentry call intents.list --csv
  intentry call analytics.timeseries metric=intents interval=day
  intentry call merchants.list --json --url https://intentry.example

Write large numbers as text (name=…) or as strings in JSON: JSON numbers above 2^53 lose digits.`,

  do: `\
intentry do <action> [<value> | <name>=<text> | <name>:=<json>]... --from <address>
            [--signer-url <address> [--yes]] [--json] [--url <address>] [--token <token>]

Prints what an action will do: its transactions, their simulation, and warnings. Actions are the functions of the
protocol, such as registerAgent or register-agent, and these short names:

${columnsOf(Object.entries(verbs).map(([verb, action]) => `${verb.padEnd(11)}${action}`))}

Values without a name are the inputs in their order, required ones first. An input can also be an option: amount_out is
--amount-out, or --out. intentry do <action> --help lists the inputs.

With --signer-url, it asks, sends the transactions through the JSON-RPC of a signer (anvil, Frame, Web3Signer, a node
with Clef), waits for the receipts, and until the index shows them. --yes does not ask. An action that would revert is
not sent. Without --signer-url, it prints lines for cast. It never reads a private key.
--json prints the prepared action, and with --yes also what was sent.

  intentry do submit '1,000 tUSD' '990 tUSD' deadline=2h --from 0x7099…
  intentry do bid 5 --out 955tUSD --from 0x15d3…
  intentry do register-agent 'metadata:={"name":"Ada"}' --from 0x7099… --signer-url http://localhost:8545
  intentry do transfer 0x9766… 5tUSD --from 0x3c44… account=policy signer=0x7099…`,

  events: `\
intentry events [<filter>=<value>]... [--limit <count>] [--json | --table] [--url <address>]

Prints protocol events as they are indexed, until Ctrl-C or --limit events: one line each on a terminal, and one JSON
object per line elsewhere. It reconnects after a lost connection and resumes without loss.
Filters: name, contract, intent_id, agent, merchant_id, account. from_block and after choose the start; default: now.

  intentry events
  intentry events name=IntentFilled
  intentry events from_block=0 intent_id=2 --limit 3
  intentry events merchant_id=1 --json`,

  completion: `\
intentry completion bash|zsh|fish

Prints a script that completes commands, options, operations, and the names and values of their inputs.

  intentry completion bash              for ~/.bashrc:  eval "$(intentry completion bash)"
  intentry completion zsh               for ~/.zshrc, after compinit:  eval "$(intentry completion zsh)"
  intentry completion fish              for ~/.config/fish/config.fish:  intentry completion fish | source`,

  mcp: `\
intentry mcp [--output-schemas] [--url <address>] [--token <token>]

Serves the tools of the service at --url as a Model Context Protocol server on stdin and stdout. Agents that
support MCP over HTTP can use /mcp of the service directly. --output-schemas adds the schemas of all results to the
list of tools, which makes it six times as long.

  intentry mcp --url http://localhost:3001

Agent configuration:

  { "mcpServers": { "intentry": { "command": "npx", "args": ["intentry", "mcp", "--url", "http://localhost:3001"] } } }

In a checkout of the repository, the command is node with <checkout>/stack/cli.js instead of npx with intentry.`,

  "pay-portfolio": `\
intentry pay-portfolio <address> [--chains <a,b>] [--key <key>] [--json] [--url <address>]

Buys a snapshot of a wallet's holdings with an x402 payment. The payment is signed here and settled by the service.
Prints the snapshot as JSON, and the transaction of the payment on stderr. With --json, errors are JSON, too.

Set the payer's key in INTENTRY_PAYER_KEY, or with --key, which is visible to other users of this machine. Default on
a local chain (31337): anvil's account 9, whose key is public and whose dollars have no value.
On other chains a payment is at most $1, in a token that @x402/fetch knows.

  intentry pay-portfolio 0xa0ee7a142d267c1f36714e4a8f75612f20a79720
  INTENTRY_PAYER_KEY=0x… intentry pay-portfolio 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 \\
    --chains base,ethereum --url https://intentry.example`,
};

/** The help text of an operation or a command, or the overview. */
export function helpFor(topic: Topic | undefined, operation?: string): string {
  const described = operation === undefined ? undefined : operations[operation];
  if (operation !== undefined && described)
    return operationHelp(topic === "do" ? `do ${operation.slice(PREFIX.length)}` : `call ${operation}`, described);
  return topic === undefined ? overview : ofCommand[topic];
}
