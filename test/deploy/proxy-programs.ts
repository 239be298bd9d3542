import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { freePorts } from "../../stack/roles/ports";
import { run, startProgram } from "../support/programs";
import { deployPath, readDeploy } from "./files";

export type RunningProxy = {
  url: string;
  output: () => string;
  stop: () => Promise<void>;
};

type Prepared = { folder: string; config: string; url: string };

/** A folder for the files of one proxy. */
const makeFolder = () => mkdtempSync(join(tmpdir(), "intentry-proxy-"));

async function start(
  { folder, url }: Prepared,
  program: string,
  args: string[],
  env?: NodeJS.ProcessEnv,
): Promise<RunningProxy> {
  const running = startProgram(program, args, env);
  return {
    url,
    output: running.output,
    async stop() {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a certificate for the test. */
function makeCertificate(openssl: string, folder: string): void {
  const key = [
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    join(folder, "privkey.pem"),
  ];
  const certificate = ["-x509", "-days", "2", "-subj", "/CN=api.example.com", "-out", join(folder, "fullchain.pem")];
  const { status, output } = run(openssl, ["req", ...key, ...certificate]);
  if (status !== 0) throw new Error(output);
}

/** nginx.conf with all files in the folder, another HTTP port, and these gateways. */
export function nginxText(folder: string, port: number | undefined, gateways: readonly number[]): string {
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join("\n");
  const [, server = ""] = /server 127\.0\.0\.1:3001 (.*)/.exec(readDeploy("nginx.conf")) ?? [];
  return readDeploy("nginx.conf")
    .replace("http {", `http {\n${temporary}`)
    .replaceAll("/etc/nginx/tls", folder)
    .replaceAll("/var/log/nginx", folder)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace(/^ *server 127\.0\.0\.1:3002.*\n/m, "")
    .replace(
      /server 127\.0\.0\.1:3001.*/,
      gateways.map((gateway) => `server 127.0.0.1:${gateway} ${server}`).join("\n"),
    );
}

/** Copies nginx.conf with other ports, gateways and paths. */
export async function prepareNginx(openssl: string, gateways: number[]): Promise<Prepared> {
  const folder = makeFolder();
  makeCertificate(openssl, folder);
  const [port, tlsPort] = await freePorts(2);
  const text = nginxText(folder, port, gateways).replace("listen 443 ", `listen 127.0.0.1:${tlsPort} `);
  const config = join(folder, "nginx.conf");
  writeFileSync(config, text);
  return { folder, config, url: `https://127.0.0.1:${tlsPort}` };
}

/** The arguments with which nginx runs in a test: in the foreground, and without another user that can't read the files. */
export const nginxArguments = ({ folder, config }: Prepared, daemon: "off" | undefined): string[] => {
  const user = process.getuid?.() === 0 ? "user root;" : "";
  const globals = `${daemon ? "daemon off;" : ""} pid ${join(folder, "pid")}; ${user}`;
  return ["-c", config, "-p", folder, "-e", join(folder, "error.log"), "-g", globals];
};

export const startNginx = async (nginx: string, openssl: string, gateways: number[]): Promise<RunningProxy> => {
  const prepared = await prepareNginx(openssl, gateways);
  return start(prepared, nginx, nginxArguments(prepared, "off"));
};

/** The variables with which Caddy reads the Caddyfile in a test: without TLS, and with files in the folder only. */
export const caddyEnvironment = (folder: string, url: string, gateways: number[]): NodeJS.ProcessEnv => ({
  ...process.env,
  PUBLIC_BASE_URL: url,
  API_UPSTREAMS: gateways.map((gateway) => `127.0.0.1:${gateway}`).join(" "),
  XDG_DATA_HOME: folder,
  XDG_CONFIG_HOME: folder,
  HOME: folder,
});

/** Starts Caddy with the Caddyfile, except that it has no admin port, which another Caddy may use. */
export async function startCaddy(caddy: string, gateways: number[]): Promise<RunningProxy> {
  const folder = makeFolder();
  const [port] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const env = caddyEnvironment(folder, url, gateways);
  const adapted = run(caddy, ["adapt", "--config", deployPath("Caddyfile"), "--adapter", "caddyfile"], { env });
  const configuration = z.looseObject({}).parse(JSON.parse(adapted.stdout));
  const config = join(folder, "caddy.json");
  writeFileSync(config, JSON.stringify({ ...configuration, admin: { disabled: true } }));
  return start({ folder, config, url }, caddy, ["run", "--config", config], env);
}
