import type { Topic } from "./arguments";

const overview = `\
Intentry indexes an on-chain protocol of AI agents and serves it over HTTP.

  intentry start                        start the local stack (in a checkout of the repository)
  intentry reindex                      rebuild the index after a reorg beyond finality (in a checkout)
  intentry call <operation> [json]      call an operation and print the response
  intentry mcp                          serve the MCP tools over stdio
  intentry pay-portfolio <address>      buy a wallet's portfolio with x402

  intentry <command> --help             show the details and examples of a command
  intentry --version                    print the version

Commands other than start and reindex use the service at --url or INTENTRY_URL (default: http://localhost:3001).
If the service requires a write token, set --token or INTENTRY_TOKEN.

Examples:

  intentry call status.ready
  intentry call intents.list '{"status":"filled"}'`;

const ofCommand: Record<Topic, string> = {
  start: `\
intentry start

Starts a local chain with the contracts and two days of sample activity, the indexer, and the gateway on port
3001, and prints example requests. Same as npm start. Requires a checkout of the repository. Stop it with Ctrl-C.

  intentry start
  API_PORT=4001 intentry start          use another port (.env.example lists all variables)`,

  reindex: `\
intentry reindex [--new-chain]

Rebuilds the index after a reorg beyond finality: deletes the orphaned blocks from the sync cache and drops the
index. The next start indexes the chain again and uses the cache where it can. Fails while an indexer is running.
Requires a checkout of the repository and the indexer's variables (DATABASE_URL, RPC_URL, …).

  intentry reindex
  intentry reindex --new-chain          drop the whole cache: another chain has the same chain id`,

  call: `\
intentry call <operation> [json] [--url <address>] [--token <token>]

Calls an operation with a JSON object as input, and prints the response as JSON. The service lists the operations
and their inputs at /docs and /llms-full.txt. On failure it prints the error on stderr and exits with code 1.

  intentry call status.ready
  intentry call agents.get '{"agentId":"1"}'
  intentry call intents.list '{"status":"open","limit":2}'
  intentry call documents.publishCatalog '{"catalog_json":"{\\"services\\":[]}"}'
  intentry call merchants.list --url https://intentry.example

Write large numbers as strings: "115792089237316195423570985008687907853269984665640564039457".`,

  mcp: `\
intentry mcp [--url <address>] [--token <token>]

Serves the tools of the service at --url as a Model Context Protocol server on stdin and stdout. Agents that
support MCP over HTTP can use /mcp of the service directly.

  intentry mcp --url http://localhost:3001

Agent configuration:

  { "mcpServers": { "intentry": { "command": "npx", "args": ["intentry", "mcp", "--url", "http://localhost:3001"] } } }`,

  "pay-portfolio": `\
intentry pay-portfolio <address> [--chains <a,b>] [--key <key>] [--url <address>]

Buys a snapshot of a wallet's holdings with an x402 payment. The payment is signed here and settled by the service.
Prints the snapshot as JSON, and the transaction of the payment on stderr.

Set the payer's key in INTENTRY_PAYER_KEY, or with --key, which is visible to other users of this machine. Default on
a local chain (31337): anvil's account 9, whose key is public and whose dollars have no value.
On other chains a payment is at most $1, in a token that @x402/fetch knows.

  intentry pay-portfolio 0xa0ee7a142d267c1f36714e4a8f75612f20a79720
  INTENTRY_PAYER_KEY=0x… intentry pay-portfolio 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 \\
    --chains base,ethereum --url https://intentry.example`,
};

/** The help text of a command, or the overview. */
export const helpFor = (topic: Topic | undefined) => (topic === undefined ? overview : ofCommand[topic]);
