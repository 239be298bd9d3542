import { pino } from "pino";
import { createGateway } from "../../api/gateway";
import { listen } from "../../api/http/listener";
import { lazily } from "../../api/store/lazy";
import { openStore } from "../../api/store/open";
import { parseEnvironment } from "../../config/environment";
import { baseSepolia } from "../../config/networks";

// The gateway and its store alone, to be killed: documents ask nothing of the index or of the chain.
const environment = parseEnvironment(process.env);
const log = pino({ level: "silent" });
const unused = () => {
  throw new Error("Documents have nothing to do with the index");
};
const store = lazily(() =>
  openStore({ databaseUrl: environment.databaseUrl, folder: environment.stateFolder, onIdleError: () => {} }),
);
await store.db();
const gateway = createGateway(
  {
    db: { select: unused, execute: unused } as never,
    clients: { chain: { getBlockNumber: unused, getCode: unused, verifyTypedData: unused } },
    payments: undefined,
    store: store.db,
    portfolio: { chains: [], snapshot: unused },
    head: unused,
    now: unused,
    config: { ...environment, ...baseSepolia, maxLagBlocks: 0n },
  },
  log,
);
listen(gateway, environment.apiPort, log, { finish: store.close });
console.log("ready");
