import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { supportedBy } from "../../api/payments/facilitators/remote";
import { contractNames } from "../../config/contracts";
import { diagnose } from "../../stack/doctor/diagnose";
import { publishOwnSettings } from "../../stack/roles/settings";
import { cli } from "../support/cli-run";
import { createTestDatabase } from "../support/database";
import { type Postgres, startPostgres } from "../support/postgres-server";
import { startFacilitatorServer } from "../support/x402/facilitator-server";
import { AUTHORIZATION, type Installation, serve, startInstallation } from "./doctor-installation";

describe("intentry doctor", () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await startInstallation();
  });
  afterAll(() => installation?.stop());

  const problems: Installation["problems"] = (change) => installation.problems(change);

  it("reports nothing but ok for a working installation, and exits with 0", async () => {
    const { code, stdout, stderr } = await cli(["doctor"], installation.env);
    expect(stderr).toBe("");
    installation.expectNoSecrets(stdout);
    const host = new URL(installation.chain.rpcUrl).host;
    const lines = stdout.split("\n").slice(2, -3);
    expect(lines.filter((line) => !line.startsWith("ok "))).toEqual([]);
    expect(lines.map((line) => line.slice(9, line.indexOf(":")))).toEqual([
      "environment",
      ...["RPC node", "RPC node, newest block", "RPC node, history", "RPC node, newHeads"],
      ...contractNames.map((name) => `contract ${name}`),
      ...["facilitator", "payment network", "payment token", "chain clock"],
      ...["database", "database rights", "database connections", "database pooling", "database clock"],
      "public URL",
    ]);
    expect(lines[1]).toBe(`ok       RPC node: ${host} serves chain 31337.`);
    expect(stdout).toMatch(/\n23 ok, 0 warnings, 0 failed\n$/);
    expect(code).toBe(0);
    expect([...installation.facilitator.authorizations]).toContain(AUTHORIZATION);
  });

  it("lists every invalid variable, and exits with 78", async () => {
    const { code, stdout } = await cli(["doctor", "--json"], { ...installation.env, CHAIN_ID: "one", API_PORT: "0" });
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      checks: [
        expect.objectContaining({
          name: "environment",
          status: "failed",
          message: expect.stringMatching(/^CHAIN_ID: /),
        }),
        expect.objectContaining({
          name: "environment",
          status: "failed",
          message: expect.stringMatching(/^API_PORT: /),
        }),
      ],
    });
    expect(code).toBe(78);
  });

  it("explains that a local stack does not run, and checks the rest", async () => {
    const { DATABASE_URL, PATH } = installation.env;
    const { results: found, exitCode } = await diagnose({ PATH, DATABASE_URL, INTENTRY_DIR: "/nowhere" });
    expect(found.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "environment ok",
      "chain ok",
      ...["database", "database rights", "database connections", "database pooling", "database clock"].map(
        (name) => `${name} ok`,
      ),
    ]);
    expect(found[1]?.message).toBe("Nothing to check yet: `npm start` creates the local chain, and it does not run.");
    expect(exitCode).toBe(0);
  });

  it("checks a machine that runs only gateways with the settings that the indexer has published", async () => {
    const { env, database, expectNoSecrets } = installation;
    const { PATH, HOME, DATABASE_URL, DATABASE_SCHEMA = "" } = env;
    const own = { PATH, HOME, DATABASE_URL, DATABASE_SCHEMA, INTENTRY_DIR: "/nowhere" };
    const chainOf = ({ results }: Awaited<ReturnType<typeof diagnose>>) =>
      results.find(({ name }) => /^(chain|RPC node)$/.test(name));
    // Nothing is published yet, so the network is the local one.
    expect(chainOf(await diagnose(own))).toMatchObject({ name: "chain", status: "ok" });
    await publishOwnSettings(database.url, DATABASE_SCHEMA, env);
    const { code, stdout } = await cli(["doctor"], own);
    expectNoSecrets(stdout);
    expect(stdout).toContain("ok       published settings: Found in the database. Variables that are set here win.");
    expect(stdout).toContain(`ok       RPC node: ${new URL(installation.chain.rpcUrl).host} serves chain 31337.`);
    for (const name of contractNames) expect(stdout).toContain(`ok       contract ${name}: `);
    expect(stdout).toContain("ok       facilitator: ");
    expect(stdout).toMatch(/\n24 ok, 0 warnings, 0 failed\n$/);
    expect(code).toBe(0);
    // A variable of this machine wins.
    const { results } = await diagnose({ ...own, AGENT_REGISTRY_ADDRESS: `0x${"de".repeat(20)}` });
    expect(results.filter(({ status }) => status !== "ok")).toMatchObject([{ name: "contract AgentRegistry" }]);
  });

  describe("reports a database", () => {
    const administrate = async (...statements: string[]) => {
      const client = new pg.Client({ connectionString: installation.database.url });
      await client.connect();
      try {
        for (const statement of statements) await client.query(statement);
      } finally {
        await client.end();
      }
    };
    const urlAs = (role: string) => {
      const url = new URL(installation.database.url);
      url.username = role;
      url.password = "password-of-a-role";
      return url.href;
    };

    it("that refuses the password, without the password", async () => {
      const url = new URL(installation.database.url);
      url.password = "wrong-password";
      const found = await problems({ DATABASE_URL: url.href });
      expect(found).toMatchObject([{ name: "database", status: "failed" }]);
      expect(JSON.stringify(found)).not.toContain("wrong-password");
    });

    it("whose role lacks rights, and how to grant them", async () => {
      const role = `doctor_${Date.now()}`;
      const other = await createTestDatabase("doctor_rights");
      await administrate(`CREATE ROLE ${role} LOGIN PASSWORD 'password-of-a-role' CONNECTION LIMIT 20`);
      try {
        const url = new URL(urlAs(role));
        url.pathname = new URL(other.url).pathname;
        const found = await problems({ DATABASE_URL: url.href });
        expect(found).toEqual([
          {
            name: "database rights",
            status: "failed",
            message: `Role ${role} may not create schemas.`,
            advice: `Run as the database's owner: GRANT CREATE ON DATABASE "${url.pathname.slice(1)}" TO "${role}";`,
          },
          expect.objectContaining({ name: "database connections", status: "warning" }),
        ]);
        // The advice is enough.
        const [, statement = ""] = /: (GRANT .*;)$/.exec(found[0] && "advice" in found[0] ? found[0].advice : "") ?? [];
        await administrate(statement, `ALTER ROLE ${role} CONNECTION LIMIT -1`);
        expect(await problems({ DATABASE_URL: url.href })).toEqual([]);
      } finally {
        await other.drop();
        await administrate(`DROP ROLE ${role}`);
      }
    });

    it("whose existing schemas the role may not use", async () => {
      const role = `doctor_${Date.now()}`;
      const name = new URL(installation.database.url).pathname.slice(1);
      await administrate(
        `CREATE ROLE ${role} LOGIN PASSWORD 'password-of-a-role'`,
        `GRANT CREATE ON DATABASE "${name}" TO ${role}`,
      );
      try {
        const [found] = await problems({ DATABASE_URL: urlAs(role) });
        expect(found?.message).toMatch(
          new RegExp(
            `^Role ${role} may not use the existing schemas intentry_test, intentry_test_\\w+, offchain, ponder_sync\\.$`,
          ),
        );
      } finally {
        await administrate(`REVOKE ALL ON DATABASE "${name}" FROM ${role}`, `DROP ROLE ${role}`);
      }
    });

    it("that is read-only", async () => {
      const other = await createTestDatabase("doctor_read_only");
      await administrate(
        `ALTER DATABASE "${new URL(other.url).pathname.slice(1)}" SET default_transaction_read_only = on`,
      );
      const found = await problems({ DATABASE_URL: other.url });
      expect(found).toMatchObject([{ name: "database", status: "failed" }]);
      expect(found[0]?.message).toMatch(/ is read-only\.$/);
      await other.drop();
    });

    it("with replicas that are not replicas of it", async () => {
      const other: Postgres = await startPostgres();
      const found = await problems({ DATABASE_READ_URLS: `${installation.database.url}, ${other.url}` });
      expect(found).toMatchObject([
        { name: "replica 1", status: "warning", advice: "Remove it from DATABASE_READ_URLS." },
        { name: "replica 2", status: "failed", advice: "Correct DATABASE_READ_URLS." },
      ]);
      await other.stop();
    });
  });

  describe("reports payments", () => {
    it("whose facilitator does not support the network, or does not answer", async () => {
      const elsewhere = await startFacilitatorServer({
        verify: async () => Promise.reject(new Error("Not asked")),
        settle: async () => Promise.reject(new Error("Not asked")),
        getSupported: async () => supportedBy("eip155:8453"),
      });
      const [found] = await problems({ X402_FACILITATOR_URL: elsewhere.url });
      const { host } = new URL(elsewhere.url);
      expect(found).toMatchObject({
        name: "facilitator",
        status: "failed",
        message: `${host} does not support exact payments of x402 version 2 on eip155:31337.`,
      });
      await elsewhere.stop();
      const [stopped] = await problems({ X402_FACILITATOR_URL: elsewhere.url });
      expect(stopped).toMatchObject({ name: "facilitator", status: "failed" });
      expect(stopped?.message).toContain(`${host} does not answer /supported (`);
    });

    it("whose RPC node serves another chain", async () => {
      const found = await problems({
        X402_NETWORK: "eip155:8453",
        X402_RPC_URL: installation.chain.rpcUrl,
        X402_PAY_TO: installation.contracts.TestDollar,
      });
      expect(found).toMatchObject([
        { name: "facilitator", status: "failed" },
        { name: "payment network", status: "failed" },
      ]);
    });

    it.each<[string, () => NodeJS.ProcessEnv, RegExp]>([
      [
        "without code",
        () => ({ X402_ASSET: `0x${"de".repeat(20)},Test Dollar,1,6` }),
        / has no code on eip155:31337\.$/,
      ],
      [
        "without EIP-3009",
        () => ({ X402_ASSET: `${installation.contracts.AgentRegistry},Test Dollar,1,6` }),
        / does not support EIP-3009 /,
      ],
      [
        "with another domain",
        () => ({ X402_ASSET: `${installation.contracts.TestDollar},Other Dollar,1,6` }),
        /^The EIP-712 domain of .* differs /,
      ],
    ])("in a token %s", async (_, change, message) => {
      const [found, ...others] = await problems(change());
      expect(others).toEqual([]);
      expect(found).toMatchObject({ name: "payment token", status: "failed" });
      expect(found?.message).toMatch(message);
    });
  });

  describe("reports PUBLIC_BASE_URL", () => {
    it("where another service answers", async () => {
      const other = await serve((_, response) => response.end("<html>Welcome</html>"));
      const [found] = await problems({ PUBLIC_BASE_URL: other.url });
      expect(found).toMatchObject({
        name: "public URL",
        status: "failed",
        message: `Another service answers at ${new URL(other.url).host} (/health returns 200).`,
      });
      other.close();
    });

    it("where this service indexes another chain", async () => {
      const other = await serve((request, response) => {
        const body = request.url === "/health" ? { service: "intentry" } : { ready: false, chain_id: 1 };
        response.end(JSON.stringify(body));
      });
      const [found] = await problems({ PUBLIC_BASE_URL: other.url });
      expect(found).toMatchObject({ name: "public URL", status: "failed" });
      expect(found?.message).toMatch(/ indexes chain 1, not 31337\.$/);
      other.close();
    });

    it("where nothing listens yet, or only a proxy, as a warning", async () => {
      const proxy = await serve((_, response) => response.writeHead(502).end("Bad Gateway"));
      for (const url of [`http://127.0.0.1:${installation.refusingPort}`, proxy.url])
        expect(await problems({ PUBLIC_BASE_URL: url })).toMatchObject([{ name: "public URL", status: "warning" }]);
      proxy.close();
    });
  });
});
