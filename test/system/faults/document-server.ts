import { pino } from "pino";
import { createGateway } from "../../../api/gateway";
import { listen, stopOnSignals } from "../../../api/http/listener";
import { createLazyStore } from "../../../api/offchain/lazy";
import { openStore } from "../../../api/offchain/open";
import { parseEnvironment, requireDatabaseUrl } from "../../../config/environment";
import { baseSepolia } from "../../../config/networks";
import { withoutIndex } from "../../support/without-index";

// A gateway with only the store, for tests that kill it. Document operations don't use the index or the chain.
const environment = parseEnvironment(process.env);
const log = pino({ level: "silent" });
const store = createLazyStore(() => openStore({ databaseUrl: requireDatabaseUrl(environment), onIdleError: () => {} }));
await store.db();
const gateway = createGateway(
  {
    ...withoutIndex,
    store: store.db,
    config: { ...environment, ...baseSepolia, cursorSecret: async () => "a secret for tests", listed: new Map() },
  },
  log,
);
stopOnSignals(listen(gateway, { port: environment.apiPort, host: environment.apiHost }, log), { finish: store.close });
console.log("ready");
