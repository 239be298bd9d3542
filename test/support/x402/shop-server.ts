import { pino } from "pino";
import { createPublicClient, http } from "viem";
import { createGateway } from "../../../api/gateway";
import { listen, stopOnSignals } from "../../../api/http/listener";
import { createLazyStore } from "../../../api/offchain/lazy";
import { openStore } from "../../../api/offchain/open";
import { remoteFacilitator } from "../../../api/payments/facilitators/remote";
import { snapshotOf } from "../../../api/portfolio/snapshot";
import { parseEnvironment, requireDatabaseUrl } from "../../../config/environment";
import { baseSepolia } from "../../../config/networks";
import { withoutIndex } from "../without-index";

// A gateway in its own process, for tests that kill it. A snapshot takes TAKES_MS.
const environment = parseEnvironment(process.env);
const settings = environment.payment(environment.network());
if ("missing" in settings || !settings.facilitator) throw new Error("The environment has no facilitator");
const { terms, rpcUrls, facilitator } = settings;
const log = pino({ level: "silent" });
const store = createLazyStore(() => openStore({ databaseUrl: requireDatabaseUrl(environment), onIdleError: () => {} }));
await store.db();
const gateway = createGateway(
  {
    ...withoutIndex,
    portfolio: {
      chains: ["local"],
      async snapshot(address, chains) {
        console.log("run");
        await new Promise((resolve) => setTimeout(resolve, Number(process.env.TAKES_MS)));
        return snapshotOf(
          address,
          new Date(),
          "rpc",
          chains.map((chain) => ({ chain, ok: true, complete: true, holdings: [], activity: [], warnings: [] })),
        );
      },
    },
    payments: {
      terms,
      chain: createPublicClient({ transport: http(rpcUrls[0]) }),
      facilitator: remoteFacilitator(facilitator.url, terms.network),
    },
    store: store.db,
    config: { ...environment, ...baseSepolia, cursorSecret: async () => "a secret for tests", listed: new Map() },
  },
  log,
);
stopOnSignals(listen(gateway, { port: environment.apiPort, host: environment.apiHost }, log), { finish: store.close });
