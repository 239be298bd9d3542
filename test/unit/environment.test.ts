import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { addressVariable, contractNames, requiredContracts } from "../../config/contracts";
import { InvalidEnvironment, parseEnvironment, requireDatabaseUrl } from "../../config/environment";
import { baseSepolia } from "../../config/networks";

const addressOf = (digit: number) => `0x${String(digit).repeat(40)}`;
const addresses = Object.fromEntries(contractNames.map((name, index) => [addressVariable(name), addressOf(index + 1)]));
const PUBLIC_BASE_URL = "https://api.example";
const custom = {
  ...{ CHAIN_ID: "10", RPC_URL: "https://one.example,https://two.example", START_BLOCK: "7", PUBLIC_BASE_URL },
  ...addresses,
};

/** A temporary folder, removed after the test. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "intentry-environment-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The error lines of an invalid environment. Empty if it is valid. */
const problems = (source: Record<string, string>): string[] => {
  try {
    parseEnvironment(source);
    return [];
  } catch (error) {
    if (error instanceof InvalidEnvironment) return error.problems;
    throw error;
  }
};

describe("the environment", () => {
  it("has a default for everything on a local chain", () => {
    const environment = parseEnvironment({});
    expect(environment).toMatchObject({ networkName: "local", apiPort: 3001, ponderPort: 42069, anvilPort: 8545 });
    expect(environment).toMatchObject({ sampleActivity: true, x402DevBypass: false, databaseSchema: "intentry_local" });
  });

  it("allows the index a lag of 30 s, 5 s on a local chain, or the configured value", () => {
    expect(parseEnvironment(custom).maxLagSeconds).toBe(30);
    expect(parseEnvironment({}).maxLagSeconds).toBe(5);
    expect(parseEnvironment({ READY_MAX_LAG_SECONDS: "120" }).maxLagSeconds).toBe(120);
  });

  it("treats an empty variable as unset", () => {
    expect(parseEnvironment({ API_PORT: "", RPC_URL: "" }).apiPort).toBe(3001);
  });

  it("knows base-sepolia's contracts and start block, and requires only an RPC URL and a public URL", () => {
    expect(problems({ NETWORK: "base-sepolia", PUBLIC_BASE_URL })).toEqual([
      "RPC_URL: is required when the network is base-sepolia",
    ]);
    const chain = { NETWORK: "base-sepolia", RPC_URL: "https://rpc.example", PUBLIC_BASE_URL };
    const { network, databaseSchema } = parseEnvironment(chain);
    expect(network()).toEqual({ ...baseSepolia, name: "base-sepolia", rpcUrls: ["https://rpc.example"] });
    expect(databaseSchema).toBe("intentry");
  });

  it("has the SettlementAdapter of base-sepolia, with its own start block", () => {
    const base = { NETWORK: "base-sepolia", RPC_URL: "https://rpc.example", PUBLIC_BASE_URL };
    const adapterOf = (change: Record<string, string>) => {
      const { contracts, startBlock, startBlocks } = parseEnvironment({ ...base, ...change }).network();
      return [contracts.SettlementAdapter, startBlock, startBlocks?.SettlementAdapter];
    };
    const published = "0xbd61097cc7b7e1f03e88fe20e9512ff091126cb3";
    expect(adapterOf({})).toEqual([published, 42033933, 42074808]);
    expect(adapterOf({ SETTLEMENT_ADAPTER_ADDRESS: "" })).toEqual([published, 42033933, 42074808]);
    // Another adapter, or another start block, has no known start block of its own.
    expect(adapterOf({ SETTLEMENT_ADAPTER_ADDRESS: addressOf(9) })).toEqual([addressOf(9), 42033933, undefined]);
    expect(adapterOf({ START_BLOCK: "5" })).toEqual([published, 5, undefined]);
  });

  it("needs no SettlementAdapter on another chain", () => {
    const without = parseEnvironment({ ...custom, SETTLEMENT_ADAPTER_ADDRESS: "" }).network();
    expect(Object.keys(without.contracts)).toEqual([...requiredContracts]);
    expect(without.startBlocks).toBeUndefined();
    const address = "0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD";
    const { contracts } = parseEnvironment({ ...custom, SETTLEMENT_ADAPTER_ADDRESS: address }).network();
    expect(contracts.SettlementAdapter).toBe(address.toLowerCase());
  });

  it("reads another chain from variables, with several RPC URLs", () => {
    expect(parseEnvironment(custom).network()).toEqual({
      name: "custom",
      chainId: 10,
      rpcUrls: ["https://one.example", "https://two.example"],
      startBlock: 7,
      contracts: Object.fromEntries(contractNames.map((name, index) => [name, addressOf(index + 1)])),
    });
  });

  it("names every missing variable of another chain", () => {
    expect(problems({ CHAIN_ID: "10", PUBLIC_BASE_URL })).toEqual(
      ["RPC_URL", "START_BLOCK", ...requiredContracts.map(addressVariable)].map(
        (name) => `${name}: is required when the network is custom`,
      ),
    );
  });

  it("requires PUBLIC_BASE_URL, except on a local chain", () => {
    const sentence =
      "PUBLIC_BASE_URL: is required unless the chain is local; set it to the URL at which clients reach this service, such as https://api.example.com";
    expect(problems({ NETWORK: "base-sepolia", RPC_URL: "https://rpc.example" })).toEqual([sentence]);
    expect(problems({ ...custom, PUBLIC_BASE_URL: "" })).toEqual([sentence]);
    expect(problems({ ...custom, CHAIN_ID: "31337", PUBLIC_BASE_URL: "" })).toEqual([]);
    expect(parseEnvironment({}).publicBaseUrl).toBeUndefined();
  });

  it("listens on loopback on a local chain, elsewhere on all addresses, or on API_HOST", () => {
    expect(parseEnvironment({})).toMatchObject({ apiHost: "127.0.0.1", apiUrl: "http://127.0.0.1:3001" });
    expect(parseEnvironment({ ...custom, CHAIN_ID: "31337" }).apiHost).toBe("127.0.0.1");
    const elsewhere = parseEnvironment(custom);
    expect([elsewhere.apiHost, elsewhere.apiUrl]).toEqual([undefined, "http://127.0.0.1:3001"]);
    const urlOf = (API_HOST: string) => parseEnvironment({ ...custom, API_HOST }).apiUrl;
    expect(urlOf("0.0.0.0")).toBe("http://127.0.0.1:3001");
    expect(urlOf("::")).toBe("http://127.0.0.1:3001");
    expect(urlOf("::1")).toBe("http://[::1]:3001");
    expect(urlOf("10.0.0.5")).toBe("http://10.0.0.5:3001");
    expect(problems({ API_HOST: "http://a" })).toEqual(["API_HOST: must be an IP address or a host name"]);
  });

  it("makes addresses lowercase", () => {
    const INTENT_BOOK_ADDRESS = "0xABCDEFabcdefABCDEFabcdefABCDEFabcdefABCD";
    const { contracts } = parseEnvironment({ ...custom, INTENT_BOOK_ADDRESS }).network();
    expect(contracts.IntentBook).toBe(INTENT_BOOK_ADDRESS.toLowerCase());
  });

  it.each([
    ["NETWORK", "mainnet", "must be local, base-sepolia or custom"],
    ["API_PORT", "abc", "must be a whole number from 1 to 65535"],
    ["API_PORT", "0", "must be at least 1"],
    ["PONDER_PORT", "70000", "must be at most 65535"],
    ["ANVIL_PORT", "-1", "must be a whole number from 1 to 65535"],
    ["RPC_URL", "ftp://rpc.example", "must be an http(s) URL"],
    ["RPC_URL", "https://rpc.example,", "must be an http(s) URL"],
    ["RPC_WS_URL", "https://rpc.example", "must be a ws(s) URL"],
    ["DATABASE_URL", "mysql://db", "must be a postgres:// URL"],
    ["DATABASE_SCHEMA", "Robert'); DROP", "must be a lowercase PostgreSQL schema name of at most 32 characters"],
    ["SAMPLE_ACTIVITY", "yes", "must be true or false"],
    ["CHAIN_ID", "1.5", "must be a whole number from 1 to 2147483647"],
    ["START_BLOCK", "0x10", "must be a whole number from 0 to 9007199254740991"],
    ["READY_MAX_LAG_SECONDS", "-1", "must be a whole number from 0 to 86400"],
    ["ALCHEMY_API_KEY", "a/b", "must be an Alchemy API key: letters, digits, - and _"],
    ["RPC_URL_BASE", "base.example", "must be an http(s) URL"],
    ["RPC_URL_POLYGON", "https://polygon.example,", "must be an http(s) URL"],
    ["AGENT_REGISTRY_ADDRESS", "0x12", "must be an address: 0x and 40 hex digits"],
    ["SETTLEMENT_ADAPTER_ADDRESS", "0x12", "must be an address: 0x and 40 hex digits"],
    ["SETTLEMENT_ADAPTER_ADDRESS", "none", "must be an address: 0x and 40 hex digits"],
  ])("rejects %s=%s and names the variable", (name, value, sentence) => {
    expect(problems({ ...custom, [name]: value })).toContain(`${name}: ${sentence}`);
  });

  const publicChain = {
    NETWORK: "base-sepolia",
    RPC_URL: "https://rpc.example",
    PUBLIC_BASE_URL: "https://api.example",
  };

  it("rejects the payment bypass in production", () => {
    expect(problems({ X402_DEV_BYPASS: "true", NODE_ENV: "production" })).toEqual([
      "X402_DEV_BYPASS: must not be true when NODE_ENV=production",
    ]);
  });

  it.each([undefined, "development", "test", "staging"])(
    "rejects the payment bypass on a chain that is not local when NODE_ENV is %s",
    (NODE_ENV) => {
      const sentence = "X402_DEV_BYPASS: must not be true unless the chain is local (chain id 31337)";
      for (const chain of [publicChain, custom])
        expect(problems({ ...chain, ...(NODE_ENV && { NODE_ENV }), X402_DEV_BYPASS: "true" })).toEqual([sentence]);
    },
  );

  it("accepts the payment bypass on a local chain", () => {
    expect(parseEnvironment({ X402_DEV_BYPASS: "true" }).x402DevBypass).toBe(true);
    expect(parseEnvironment({ ...custom, CHAIN_ID: "31337", X402_DEV_BYPASS: "true" }).x402DevBypass).toBe(true);
  });

  it.each([
    ["DEV_HELPERS", "true"],
    ["METADATA_AUTH", "open"],
  ])("rejects %s=%s on a chain that is not local without a second switch", (name, value) => {
    expect(problems({ ...publicChain, [name]: value })).toEqual([
      `${name}: ${value} is for development; on a chain that is not local it also requires ALLOW_DEV_ON_PUBLIC_CHAIN=true`,
    ]);
    expect(problems({ ...publicChain, [name]: value, ALLOW_DEV_ON_PUBLIC_CHAIN: "false" })).toHaveLength(1);
    expect(problems({ ...publicChain, [name]: value, ALLOW_DEV_ON_PUBLIC_CHAIN: "true" })).toEqual([]);
    expect(problems({ [name]: value })).toEqual([]);
  });

  it("has no development settings on a chain that is not local, even with the second switch", () => {
    const { devHelpers, openMetadata } = parseEnvironment({ ...publicChain, ALLOW_DEV_ON_PUBLIC_CHAIN: "true" });
    expect([devHelpers, openMetadata]).toEqual([false, false]);
  });

  it("reads portfolios from RPC nodes by default, and caches them for 15 s", () => {
    expect(parseEnvironment({}).portfolio).toMatchObject({ alchemyApiKey: undefined, cacheMs: 15_000 });
    const { portfolio } = parseEnvironment({
      RPC_URL_BASE: "https://one.example,https://two.example",
      RPC_URL_ARBITRUM: "https://arbitrum.example",
    });
    expect(portfolio).toMatchObject({
      alchemyApiKey: undefined,
      rpcUrls: { base: ["https://one.example", "https://two.example"], arbitrum: ["https://arbitrum.example"] },
    });
    expect(portfolio.rpcUrls.ethereum).toBeUndefined();
  });

  it("reads portfolios from Alchemy if it has a key", () => {
    expect(parseEnvironment({ ALCHEMY_API_KEY: "a-Key_1" }).portfolio.alchemyApiKey).toBe("a-Key_1");
  });

  it("reads the local chain's tokens from the deployment file, and has no local chain on other networks", () => {
    const folder = newFolder();
    const rpcUrl = "http://127.0.0.1:8545";
    const contracts = Object.fromEntries(contractNames.map((name, index) => [name, addressOf(index + 1)]));
    const deployment = { rpcUrl, chainId: 31337, apiUrl: rpcUrl, ponderUrl: rpcUrl, contracts };
    const local = () => parseEnvironment({ INTENTRY_DIR: folder }).portfolio.local();
    const write = (content: object) => writeFileSync(join(folder, "local.json"), JSON.stringify(content));

    write(deployment);
    expect(local()).toEqual({ rpcUrl, tokens: { native: [], sequencer: null, tokens: [] } });
    const tokens = { native: [{ address: addressOf(1), maxAgeSeconds: 60 }], sequencer: null, tokens: [] };
    write({ ...deployment, tokens });
    expect(local()).toEqual({ rpcUrl, tokens });
    expect(parseEnvironment({ ...custom, INTENTRY_DIR: folder }).portfolio.local()).toBeUndefined();
  });

  it("explains how to create a missing or invalid local deployment file", () => {
    const folder = newFolder();
    const { network } = parseEnvironment({ INTENTRY_DIR: folder });
    expect(network).toThrow("`npm start` creates it");
    writeFileSync(join(folder, "local.json"), `{"rpcUrl": "http://127.0.0.1:8545"}`);
    expect(network).toThrow("`npm start` creates it");
  });

  it("explains how DATABASE_URL is set if it is missing", () => {
    expect(() => requireDatabaseUrl(parseEnvironment({}))).toThrow(
      "DATABASE_URL: is required; npm start sets it to its embedded PostgreSQL",
    );
    const url = "postgres://someone@db.example/app";
    expect(requireDatabaseUrl(parseEnvironment({ DATABASE_URL: url }))).toBe(url);
  });
});
