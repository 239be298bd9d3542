import { CONFIGURATION_ERROR } from "../../config/exit-codes";
import type { Child } from "./child";
import { type Gateway, startGateway } from "./gateway";
import { type KeptRunning, keepRunning } from "./keep-running";
import { restartPolicy, type Supervision, variablesOf } from "./supervision";

export type SupervisedGateways = {
  /** The gateway processes. They share one port. */
  gateways: readonly KeptRunning<Gateway>[];
  /** Replaces each process by a new one, which accepts connections before the old one stops. */
  replace: () => Promise<void>;
  /** Stops after the requests in flight. */
  stop: Child["stop"];
};

/** Runs gateways, and restarts each of them if it ends unexpectedly. `current` returns the options of the next start. */
export async function superviseGateways(current: () => Supervision & { build: string }): Promise<SupervisedGateways> {
  const options = current();
  const start = async () => {
    const { build, ...supervision } = current();
    const { root, onLine, onStarted } = supervision;
    const env = variablesOf(supervision, build);
    const gateway = startGateway({ ...(root !== undefined && { root }), env, onLine });
    onStarted?.(gateway);
    return gateway;
  };
  const startWorker = () =>
    keepRunning({ ...restartPolicy(options), isFinal: (code) => code === CONFIGURATION_ERROR, start });
  const gateways = await Promise.all(Array.from({ length: options.environment.apiWorkers }, startWorker));
  return {
    gateways,
    async replace() {
      for (const gateway of gateways) await gateway.replace((next) => next.listening);
    },
    async stop(signal) {
      await Promise.all(gateways.map((gateway) => gateway.stop(signal)));
    },
  };
}
