import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { InvalidEnvironment, parseEnvironment } from "../../config/environment";
import { unknownVariables } from "../../config/unknown-variables";
import { variableGroups } from "../../config/variables/index";

const names = variableGroups.flatMap((group) => Object.keys(group.variables));

/** Variables of other programs, as they occur in shells, CI, containers and clusters. */
const others = `
PATH HOME PWD OLDPWD SHELL USER LOGNAME HOSTNAME LANG LC_ALL TERM TMPDIR TEMP TZ EDITOR DISPLAY COLORTERM SHLVL _ CI DEBUG PORT HOST
SSH_AUTH_SOCK XDG_CACHE_HOME XDG_RUNTIME_DIR SystemRoot ProgramFiles(x86) http_proxy https_proxy no_proxy HTTP_PROXY NO_PROXY
npm_config_cache npm_config_loglevel npm_config_registry npm_execpath npm_lifecycle_event npm_node_execpath npm_package_json
npm_package_name npm_package_version npm_command INIT_CWD NVM_DIR NVM_BIN VOLTA_HOME COREPACK_HOME YARN_VERSION
NODE NODE_OPTIONS NODE_PATH NODE_VERSION NODE_NAME NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED NODE_DEBUG UV_THREADPOOL_SIZE
GITHUB_ACTIONS GITHUB_TOKEN GITHUB_REF GITHUB_SHA GITHUB_WORKSPACE GITHUB_API_URL GITHUB_ENV GITHUB_RUN_ID RUNNER_OS RUNNER_TEMP
GITLAB_CI CI_COMMIT_SHA CI_PROJECT_ID CIRCLE_BRANCH BUILDKITE_BRANCH VERCEL_URL RAILWAY_DEPLOYMENT_ID FLY_APP_NAME RENDER_SERVICE_ID
KUBERNETES_PORT KUBERNETES_SERVICE_HOST KUBERNETES_SERVICE_PORT KUBERNETES_PORT_443_TCP KUBERNETES_PORT_443_TCP_ADDR
INTENTRY_PORT INTENTRY_SERVICE_HOST INTENTRY_SERVICE_PORT INTENTRY_PORT_3001_TCP POSTGRES_PORT_5432_TCP_ADDR POD_NAME POD_IP
PGHOST PGPORT PGUSER PGPASSWORD PGDATABASE PGSSLMODE PGDATA POSTGRES_USER POSTGRES_PASSWORD POSTGRES_DB POSTGRES_URL POSTGRES_HOST
DATABASE_HOST DATABASE_NAME DATABASE_USER DATABASE_PASSWORD DATABASE_PORT DATABASE_PRIVATE_URL DATABASE_URL_UNPOOLED DB_URL DB_SCHEMA
APP_PORT APP_ENV WEB_PORT HTTP_PORT METRICS_PORT APP_URL BASE_URL PUBLIC_URL API_URL API_KEY API_TOKEN LOG_FORMAT LOG_FILE RUST_LOG
VITE_API_URL VITE_PUBLIC_BASE_URL VITE_CHAIN_ID NEXT_PUBLIC_CHAIN_ID REACT_APP_API_URL VITEST VITEST_POOL_ID VITEST_WORKER_ID TEST_SEED
OTEL_EXPORTER_OTLP_TRACES_ENDPOINT OTEL_EXPORTER_OTLP_METRICS_ENDPOINT OTEL_EXPORTER_OTLP_LOGS_ENDPOINT OTEL_EXPORTER_OTLP_HEADERS
OTEL_EXPORTER_OTLP_TIMEOUT OTEL_EXPORTER_OTLP_PROTOCOL OTEL_EXPORTER_OTLP_COMPRESSION OTEL_EXPORTER_OTLP_INSECURE OTEL_EXPORTER_OTLP_CERTIFICATE
OTEL_EXPORTER_ZIPKIN_ENDPOINT OTEL_TRACES_EXPORTER OTEL_TRACES_SAMPLER OTEL_TRACES_SAMPLER_ARG OTEL_PROPAGATORS OTEL_SDK_DISABLED OTEL_BSP_SCHEDULE_DELAY
OTEL_LOG_LEVEL OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES SENTRY_DSN DD_ENV AWS_REGION AWS_ACCESS_KEY_ID
PONDER_RPC_URL_1 PONDER_LOG_LEVEL PONDER_TELEMETRY_DISABLED ETH_RPC_URL RPC_URL_BSC RPC_URL_1 RPC_URL_MAINNET RPC_URL_BASE_SEPOLIA
MAINNET_RPC_URL ETHERSCAN_API_KEY ALCHEMY_KEY INFURA_API_KEY PRIVATE_KEY FOUNDRY_PROFILE FORGE_PROFILE TOKEN_REGISTRY_ADDRESS
INTENTRY_URL INTENTRY_TOKEN CHROMIUM_PATH RANDOM_ACTIONS PREFLIGHT_ROUNDS TRUSTED_PROXIES END_BLOCK BLOCK_NUMBER X402_PRIVATE_KEY
`
  .trim()
  .split(/\s+/);

describe("an unknown variable", () => {
  it.each([
    ["WRITE_TOKEN", "WRITE_TOKENS"],
    ["WRITES_TOKENS", "WRITE_TOKENS"],
    ["WRITE_TOKNES", "WRITE_TOKENS"],
    ["write_tokens", "WRITE_TOKENS"],
    ["RPC_URLS", "RPC_URL"],
    ["CHAINID", "CHAIN_ID"],
    ["NETWORKS", "NETWORK"],
    ["APIPORT", "API_PORT"],
    ["DATABASE_URI", "DATABASE_URL"],
    ["X402_PAYTO", "X402_PAY_TO"],
    ["X402_DEV_BYPAS", "X402_DEV_BYPASS"],
    ["RATE_LIMIT_REQUEST", "RATE_LIMIT_REQUESTS"],
    ["RESPONSES_CACHE_BYTE", "RESPONSE_CACHE_BYTES"],
    ["INTENTBOOK_ADDRESS", "INTENT_BOOK_ADDRESS"],
    ["AGENT_REGISTERY_ADDRESS", "AGENT_REGISTRY_ADDRESS"],
  ])("%s is rejected, with %s as the nearest", (name, near) => {
    expect(unknownVariables({ [name]: "value" })).toEqual([
      `${name}: is not a variable of this service; rename it to ${near}, or unset it`,
    ]);
  });

  it("of another program is accepted", () => {
    expect(unknownVariables(Object.fromEntries(others.map((name) => [name, "value"])))).toEqual([]);
    expect(unknownVariables(process.env)).toEqual([]);
  });

  it("is accepted if it is empty, or if the variable that it resembles is set too", () => {
    expect(unknownVariables({ DATABASE_URI: "" })).toEqual([]);
    expect(unknownVariables({ DATABASE_URI: "value", DATABASE_URL: "value" })).toEqual([]);
  });

  it("stops the start, together with the other problems", () => {
    const parse = () => parseEnvironment({ WRITE_TOKEN: "value", API_PORT: "abc" });
    expect(parse).toThrow(InvalidEnvironment);
    expect(parse).toThrow("rename it to WRITE_TOKENS");
    expect(parse).toThrow("API_PORT: must be a whole number from 1 to 65535");
  });

  it("is never one of ours", () => {
    expect(unknownVariables(Object.fromEntries(names.map((name) => [name, "value"])))).toEqual([]);
    for (const name of names) expect(unknownVariables({ [name]: "value" })).toEqual([]);
    const example = readFileSync(join(resolve(import.meta.dirname, "../.."), ".env.example"), "utf8");
    expect(unknownVariables(Object.fromEntries(Object.keys(parseEnv(example)).map((name) => [name, "x"])))).toEqual([]);
  });
});
