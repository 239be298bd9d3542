import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "../../stack/roles/ports";
import { nginxArguments, nginxText } from "../deploy/proxy-programs";
import { type HttpProxy, startHttpProxy } from "../support/http-proxy";
import { findProgram, type RunningProgram, run, startProgram } from "../support/programs";

/** nginx with deploy/nginx.conf, except for TLS. Like an operator, it reloads the file to change the gateways. */
async function startNginxBalancer(nginx: string): Promise<HttpProxy> {
  const folder = mkdtempSync(join(tmpdir(), "intentry-proxy-"));
  const [redirectPort = 0, port = 0] = await freePorts(2);
  const config = join(folder, "nginx.conf");
  const url = `http://127.0.0.1:${port}`;
  const gateways = new Set<number>();
  const options = nginxArguments({ folder, config, url }, "off");
  let running: RunningProgram | undefined;
  // nginx writes its process id a moment after its start.
  const signalReload = (attempts = 100): void => {
    if (run(nginx, [...options, "-s", "reload"]).status === 0) return;
    if (attempts === 0) throw new Error("nginx does not reload its file");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
    signalReload(attempts - 1);
  };
  const reload = () => {
    const text = nginxText(folder, redirectPort, [...gateways])
      .replace(/listen 443 .*/, `listen 127.0.0.1:${port};`)
      .replaceAll(/^ *ssl_.*\n/gm, "");
    writeFileSync(config, text);
    if (!running) running = startProgram(nginx, options);
    else signalReload();
  };
  return {
    url,
    add(gateway) {
      gateways.add(gateway);
      reload();
    },
    remove(gateway) {
      gateways.delete(gateway);
      reload();
    },
    async close() {
      await running?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a load balancer: nginx if it is installed, otherwise a small one. */
export function startBalancer(): Promise<HttpProxy> {
  const nginx = findProgram("nginx");
  return nginx ? startNginxBalancer(nginx) : startHttpProxy();
}
