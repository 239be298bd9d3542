import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { allOperations } from "../../api/operations/index";
import { contractNames, protocolAbis } from "../../config/contracts";
import { LocalDeployment } from "../../config/networks";
import { actor, connect } from "../../stack/local/chain";
import { documentation, examplesIn, graphql, npmRun, npmStart, runExample } from "../support/npm-start";
import { useStateFolder } from "../support/state-folder";

describe("npm start", () => {
  const { start, stateFolder: folder, ports: freshPorts, expectNothingLeft, query } = useStateFolder();

  it("starts a chain with every event, indexes it, serves the documented examples, and leaves no process after SIGTERM", async () => {
    const [stateFolder, ports] = [folder(), freshPorts()];
    const first = start({}, { npm: true });
    await first.printed("Ready. The gateway is on");

    const deployment = LocalDeployment.parse(JSON.parse(await readFile(join(stateFolder, "local.json"), "utf8")));
    expect(deployment).toMatchObject({
      rpcUrl: `http://127.0.0.1:${ports.ANVIL_PORT}`,
      chainId: 31337,
      apiUrl: `http://127.0.0.1:${ports.API_PORT}`,
      ponderUrl: `http://127.0.0.1:${ports.PONDER_PORT}`,
    });
    for (const name of contractNames) expect(first.output()).toContain(deployment.contracts[name]);

    const health = { status: "ok", ok: true, service: "intentry", name: "Intentry", x402DevBypass: false };
    expect(await (await fetch(`${deployment.apiUrl}/health`)).json()).toEqual(health);
    const readiness = async () => (await fetch(`${deployment.apiUrl}/ready`)).json();
    await expect.poll(readiness).toMatchObject({ ready: true, chain_id: 31337, lag_blocks: "0", reason: null });
    // Nobody has read the token before.
    expect(await (await fetch(`${deployment.apiUrl}/search?q=tUSD`)).json()).toMatchObject({
      matches: [{ type: "token", id: deployment.contracts.TestDollar?.toLowerCase(), name: "tUSD" }],
    });
    // A block every 2 s, so that viem's waitForTransactionReceipt resolves.
    const client = connect(deployment.rpcUrl);
    const newest = await client.getBlockNumber();
    await expect.poll(() => client.getBlockNumber()).toBeGreaterThanOrEqual(newest + 2n);
    const hash = await client.sendTransaction({ account: actor(9), to: actor(8).address, value: 1n });
    expect(await client.waitForTransactionReceipt({ hash, timeout: 30_000 })).toMatchObject({ status: "success" });
    await client.setAutomine(false);
    const stopped = await client.getBlockNumber();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(await client.getBlockNumber()).toBeLessThanOrEqual(stopped + 1n);
    await client.setAutomine(true);
    expect(await (await fetch(`${deployment.apiUrl}/nowhere`)).json()).toEqual({
      error: "No route GET /nowhere; see /docs",
      code: "unknown_route",
    });

    const { agents, intents, eventLogs } = await graphql(
      ports.PONDER_PORT,
      '{ agents { items { agentId } } intents(limit: 6, orderBy: "intentId") { items { intentId status } } eventLogs(limit: 1000) { items { contract name } } }',
    );
    expect(agents?.items).toHaveLength(13);
    const statuses = intents?.items.map(({ status }) => status);
    expect(statuses).toEqual(["FILLED", "CANCELLED", "OPEN", "FILLED", "OPEN", "OPEN"]);
    const everyEvent = contractNames.flatMap((contract) =>
      protocolAbis[contract].flatMap((item) =>
        item.type === "event" && item.name !== "EIP712DomainChanged" ? [`${contract}:${item.name}`] : [],
      ),
    );
    const happened = new Set(eventLogs?.items.map(({ contract, name }) => `${contract}:${name}`));
    expect([...happened].sort()).toEqual(everyEvent.sort());

    const text = await documentation();
    const written = text.replace(/<!-- Generated[\s\S]*?<!-- End/, "");
    for (const { operation } of allOperations) {
      // The page lists the actions by name, under `POST /actions/{name}`.
      const shown = operation.route.replace("GET ", "").replace("POST /actions/", "");
      expect(written, `${operation.route} in the documentation`).toContain(`\`${shown}\``);
    }
    const examples = examplesIn(text);
    expect(examples.length).toBeGreaterThanOrEqual(20);
    for (const { command, answer } of examples) {
      const given = await runExample(command, ports);
      if (answer) expect(given, command).toEqual(answer);
      else expect(given, command).not.toHaveProperty("error");
    }

    // The printed example requests.
    const offered = [...first.output().matchAll(/^ +(curl .*)$/gm)].map(([, command = ""]) => command);
    expect(offered.length).toBeGreaterThanOrEqual(3);
    for (const command of offered) expect(await runExample(command, ports), command).not.toHaveProperty("error");
    const [page = ""] = /http:\S+\/docs/.exec(first.output()) ?? [];
    expect((await fetch(page)).headers.get("content-type")).toContain("text/html");

    // The paying command: the payer's balance decreases by the price.
    expect(first.output()).toContain("npm run pay");
    expect(await npmRun("pay", { INTENTRY_DIR: stateFolder })).toMatch(
      /spendControls: \{"allowedAssets":\[\{"network":"eip155:31337","asset":"0x\w{40}"\}\]\}\n.*has 1000 test dollars\.\nTransaction 0x[0-9a-f]{64} paid for a portfolio worth \$[\d.]+\.\n.*has 999\.99 test/,
    );

    // Index and store are schemas of one embedded database.
    const schemas = await query(
      "SELECT schema_name FROM information_schema.schemata WHERE schema_name IN ('intentry_local', 'offchain') ORDER BY 1",
    );
    expect(schemas).toEqual([{ schema_name: "intentry_local" }, { schema_name: "offchain" }]);

    const rival = npmStart({ INTENTRY_DIR: stateFolder });
    expect(await rival.ended).toBe(1);
    expect(rival.output()).toMatch(
      new RegExp(
        `INTENTRY_DIR ${stateFolder} is in use by process \\d+\\. Stop it, or set INTENTRY_DIR to another folder\\.`,
      ),
    );

    expect(await first.stop()).toBe(0);
    await expectNothingLeft();
  }, 360_000);
});
