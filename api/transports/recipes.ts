/** A task in three languages. The examples work on a local stack with its sample activity. */
type Recipe = { title: string; sh: string; ts: string; py: string };

const WALLET = "0xa0ee7a142d267c1f36714e4a8f75612f20a79720";

const page = (baseUrl: string): Recipe => ({
  title: "Read all pages of a list",
  sh: `\
url='${baseUrl}/intents?limit=2'
next=$url
while [ -n "$next" ]; do
  page=$(curl -s "$next")
  echo "$page" | grep -o '"intent_id":"[0-9]*"'
  cursor=$(echo "$page" | sed -n 's/.*"next_cursor":"\\([^"]*\\)".*/\\1/p')
  next=\${cursor:+$url&cursor=$cursor}
done`,
  ts: `\
import { createIntentryClient, iterate } from "intentry";

const intentry = createIntentryClient({ url: "${baseUrl}" });
for await (const intent of iterate(intentry.intents.list, { limit: 2 })) console.log(intent.intent_id);`,
  py: `\
import json, urllib.parse, urllib.request

query = {"limit": 2}
while True:
    with urllib.request.urlopen("${baseUrl}/intents?" + urllib.parse.urlencode(query)) as response:
        page = json.load(response)
    for intent in page["intents"]:
        print(intent["intent_id"])
    query["cursor"] = page["pagination"]["next_cursor"]
    if query["cursor"] is None:
        break`,
});

const subscribe = (baseUrl: string): Recipe => ({
  title: "Subscribe to events, from the first block on",
  sh: `\
curl -sN '${baseUrl}/events?from_block=0&name=IntentFilled'`,
  ts: `\
import { createIntentryClient } from "intentry";

const intentry = createIntentryClient({ url: "${baseUrl}" });
for await (const message of intentry.follow({ from_block: 0, name: "IntentFilled" }))
  if (message.type === "event") console.log(message.data.summary);`,
  py: `\
import json, time, urllib.error, urllib.request

url, last_id = "${baseUrl}/events?from_block=0&name=IntentFilled", None
while True:  # Reconnects, and resumes after the last message.
    request = urllib.request.Request(url, headers={"Last-Event-ID": last_id} if last_id else {})
    try:
        with urllib.request.urlopen(request) as stream:
            kind = "event"
            for line in stream:
                field, _, value = line.decode().rstrip("\\n").partition(": ")
                if field == "id":
                    last_id = value
                elif field == "event":
                    kind = value
                elif field == "data" and kind == "event":
                    print(json.loads(value)["summary"], flush=True)
                elif field == "":
                    kind = "event"
    except urllib.error.HTTPError as error:
        raise SystemExit(json.load(error)["error"])
    except OSError:
        pass
    time.sleep(1)`,
});

const pay = (baseUrl: string): Recipe => ({
  title:
    "Pay for a request. The command line, here in a checkout of the repository, signs the payment: with the key in INTENTRY_PAYER_KEY, or with a public test key on a local chain",
  sh: `\
url='${baseUrl}/portfolio?address=${WALLET}&chains=local'
curl -si "$url" | sed -n 's/^payment-required: //ip' | base64 -d
npm run -s cli -- pay-portfolio ${WALLET} --chains local --url ${baseUrl}`,
  ts: `\
import { createIntentryClient } from "intentry";
import { mnemonicToAccount } from "viem/accounts";

const mnemonic = "test test test test test test test test test test test junk";
const payer = mnemonicToAccount(mnemonic, { addressIndex: 9 }); // A public test key.
const intentry = createIntentryClient({ url: "${baseUrl}", payer }); // Pays at most $1 at a time.
const { snapshot, payment } = await intentry.portfolio(payer.address, { chains: ["local"] });
console.log(payment?.transaction, snapshot.summary.totalValueUsd);`,
  py: `\
import base64, json, subprocess, urllib.error, urllib.request

wallet, max_amount = "${WALLET}", 10_000
try:
    urllib.request.urlopen("${baseUrl}/portfolio?address=" + wallet + "&chains=local")
except urllib.error.HTTPError as error:
    terms = json.loads(base64.b64decode(error.headers["PAYMENT-REQUIRED"]))
amount = int(terms["accepts"][0]["amount"])
assert amount <= max_amount, amount
command = ["npm", "run", "-s", "cli", "--", "pay-portfolio", wallet, "--chains", "local", "--url", "${baseUrl}"]
paid = subprocess.run(command, check=True, capture_output=True, text=True)
print(json.loads(paid.stdout)["summary"]["totalValueUsd"], paid.stderr.strip())`,
});

const languages = { sh: "Shell", ts: "TypeScript", py: "Python" } as const;

const names = ["sh", "ts", "py"] as const satisfies readonly (keyof typeof languages)[];

const all = [page, subscribe, pay];

/** Paging, events and payments in three languages. */
export const recipeSamples = (baseUrl: string) =>
  all.map((recipe) => {
    const { title, ...codes } = recipe(baseUrl);
    return { title, samples: names.map((name) => ({ label: languages[name], code: codes[name] })) };
  });

/** The same in Markdown without headings. */
export const recipes = (baseUrl: string): string[] =>
  all.flatMap((recipe) => {
    const { title, ...codes } = recipe(baseUrl);
    return [`**${title}.**`, ...names.map((name) => `${languages[name]}:\n\n\`\`\`${name}\n${codes[name]}\n\`\`\``)];
  });
