import type { Topic } from "./arguments";

const overview = `\
Intentry indexes an on-chain protocol of AI agents and answers over HTTP.

  intentry start                        runs the whole local stack, from a checkout of the repository
  intentry reindex                      rebuilds the index after a reorg beyond finality, from a checkout
  intentry call <operation> [json]      asks a service one thing, and prints the answer
  intentry mcp                          gives an agent the service's tools, over stdio
  intentry pay-portfolio <address>      buys a wallet's portfolio with x402

  intentry <command> --help             says more, with examples
  intentry --version

Every command but start and reindex asks the service at --url, at INTENTRY_URL, or at http://localhost:3001.
Where writing needs a token, give it with --token or INTENTRY_TOKEN.

Begin with:

  intentry call status.ready
  intentry call intents.list '{"status":"filled"}'`;

const ofCommand: Record<Topic, string> = {
  start: `\
intentry start

Starts a local chain, the contracts, two days of sample activity, the index and the gateway on :3001, and
says what to try. It is what npm start does, and needs a checkout of the repository. Stop it with Ctrl-C.

  intentry start
  API_PORT=4001 intentry start          on another port; .env.example has every variable`,

  reindex: `\
intentry reindex [--new-chain]

Rebuilds the index after the chain replaced blocks that were final: deletes the cached blocks that are no longer on
the chain, and drops the index. The next start indexes the chain again, from the cache first. It refuses while an
indexer runs, and needs a checkout of the repository and the variables of the indexer (DATABASE_URL, RPC_URL, …).

  intentry reindex
  intentry reindex --new-chain          the chain was replaced by another with the same id: keeps nothing`,

  call: `\
intentry call <operation> [json] [--url <address>] [--token <token>]

Asks for one operation, by its name, with an input that is a JSON object. The names and their inputs are in
/docs and /llms-full.txt of the service. Prints the answer as JSON; an error is a sentence, and exit code 1.

  intentry call status.ready
  intentry call agents.get '{"agentId":"1"}'
  intentry call intents.list '{"status":"open","limit":2}'
  intentry call documents.publishCatalog '{"catalog_json":"{\\"services\\":[]}"}'
  intentry call merchants.list --url https://intentry.example

Big numbers are best written as strings: "115792089237316195423570985008687907853269984665640564039457".`,

  mcp: `\
intentry mcp [--url <address>] [--token <token>]

Speaks the Model Context Protocol on stdin and stdout, for agents that start their tools themselves. The tools
are those of the service at --url, whose /mcp answers agents that speak HTTP without this command.

  intentry mcp --url http://localhost:3001

In the configuration of an agent:

  { "mcpServers": { "intentry": { "command": "npx", "args": ["intentry", "mcp", "--url", "http://localhost:3001"] } } }`,

  "pay-portfolio": `\
intentry pay-portfolio <address> [--chains <a,b>] [--key <key>] [--url <address>]

Buys a snapshot of what a wallet holds, with an x402 payment that is signed here and settled by the service.
Prints the snapshot as JSON, and on stderr the transaction that paid for it.

The payer's key is taken from INTENTRY_PAYER_KEY, or from --key, which others on the machine can see. A service
on a local chain (31337) is paid by anvil's account 9 when there is none: its key is public, its dollars are not real.
On every other chain at most $1 is paid for a request, in tokens that @x402/fetch knows.

  intentry pay-portfolio 0xa0ee7a142d267c1f36714e4a8f75612f20a79720
  INTENTRY_PAYER_KEY=0x… intentry pay-portfolio 0xd8da6bf26964af9d7eed9e03e53415d37aa96045 \\
    --chains base,ethereum --url https://intentry.example`,
};

/** What a command does and how it is written, or what commands there are. */
export const helpFor = (topic: Topic | undefined) => (topic === undefined ? overview : ofCommand[topic]);
