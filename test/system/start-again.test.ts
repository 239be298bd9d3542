import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Address, erc20Abi, keccak256, parseUnits, stringToBytes } from "viem";
import { describe, expect, it } from "vitest";
import { readLocalDeployment } from "../../config/networks";
import { connect } from "../../stack/local/chain";
import { demoPayer } from "../../stack/local/sample/people";
import { graphql, npmRun } from "../support/npm-start";
import { useStateFolder } from "../support/state-folder";

describe("npm start in a folder that was used before", () => {
  const { start, stateFolder: folder, ports: freshPorts, expectNothingLeft } = useStateFolder();

  it("has a new chain and the same documents, also after kill -9", async () => {
    const [stateFolder, ports] = [folder(), freshPorts()];
    const apiUrl = `http://127.0.0.1:${ports.API_PORT}`;
    const first = start();
    await first.printed("Ready. The gateway is on");
    const catalog = '["outlives the local chain"]';
    const published = await fetch(`${apiUrl}/catalogs`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ catalog_json: catalog }),
    });
    expect(published.status).toBe(201);
    expect(await npmRun("pay", { INTENTRY_DIR: stateFolder })).toContain("has 999.99 test");
    expect(await first.stop()).toBe(0);
    await expectNothingLeft();

    const second = start({ SAMPLE_ACTIVITY: "false" });
    await second.printed("Ready. The gateway is on");
    expect(await graphql(ports.PONDER_PORT, "{ agents { items { agentId } } eventLogs { items { name } } }")).toEqual({
      agents: { items: [] },
      eventLogs: { items: [] },
    });
    const kept = await fetch(`${apiUrl}/catalogs/${keccak256(stringToBytes(catalog))}`);
    expect(await kept.text()).toBe(catalog);
    const { rpcUrl, contracts } = readLocalDeployment(stateFolder);
    const dollars = { address: contracts.TestDollar as Address, abi: erc20Abi };
    const funds = await connect(rpcUrl).readContract({
      ...dollars,
      functionName: "balanceOf",
      args: [demoPayer.address],
    });
    expect(funds).toBe(parseUnits("1000", 6));

    // After kill -9 its children still run and hold the ports. The next start ends them.
    const [owner = ""] = (await readdir(join(stateFolder, "processes"))).filter((mark) => mark.startsWith("owner-"));
    process.kill(Number(owner.split("-")[1]), "SIGKILL");
    await second.ended;
    const third = start({ SAMPLE_ACTIVITY: "false" });
    await third.printed("Ready. The gateway is on");
    expect((await fetch(`${apiUrl}/catalogs/${keccak256(stringToBytes(catalog))}`)).status).toBe(200);
    expect(await third.stop()).toBe(0);
    await expectNothingLeft();
  }, 360_000);
});
