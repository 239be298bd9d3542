import { encodeFunctionData, maxUint256, parseEther, parseUnits } from "viem";
import { testDollarAbi } from "../../../abis/index";
import type { Contracts } from "../deploy";
import { hashOf } from "../sample/people";
import type { Batch } from "./batch";
import { agents, attestors, facilitators, solvers } from "./cast";
import type { Metadata } from "./metadata";
import { merchantIdOf, merchants } from "./shops";
import { tokenDeployer } from "./tokens";

const capabilitiesHash = (capabilities: readonly string[]) => hashOf(capabilities.join(","));

/** Everyone who sends transactions. */
export const everyone = [
  tokenDeployer,
  ...[...solvers, ...agents, ...merchants, ...facilitators, ...attestors].map(({ account }) => account),
];

/** Registers all participants. */
export function register({ call }: Batch, metadata: Metadata): void {
  for (const solver of solvers)
    call(
      ...([solver.account, "SolverRegistry", "registerSolver"] as const),
      [metadata.of(solver).uri, capabilitiesHash(solver.capabilities)],
      parseEther(solver.bond),
    );
  for (const agent of agents) {
    const { uri } = metadata.of(agent);
    call(agent.account, "AgentRegistry", "registerAgent", [
      uri,
      agent.account.publicKey,
      capabilitiesHash(agent.capabilities),
    ]);
  }
  for (const attestor of attestors) {
    const { uri } = metadata.of(attestor);
    call(attestor.account, "AttestorRegistry", "registerAttestor", [uri, capabilitiesHash(attestor.capabilities)]);
  }
  for (const facilitator of facilitators) {
    const { uri, hash } = metadata.of(facilitator);
    const { account } = facilitator;
    call(account, "CommerceRegistry", "registerFacilitator", [account.address, uri, hash]);
  }
  for (const merchant of merchants) {
    const { uri, hash } = metadata.ofMerchant(merchant);
    const { account } = merchant;
    call(account, "CommerceRegistry", "registerMerchant", [account.address, uri, hash]);
  }
  for (const merchant of merchants)
    for (const service of merchant.services) {
      const { uri, hash } = metadata.ofService(merchant, service);
      const offered = [merchantIdOf(merchant), service.id, uri, hash, hashOf(service.id)] as const;
      call(merchant.account, "CommerceRegistry", "registerService", offered);
    }
}

/** Gives the agents dollars, and lets them pay through the settlement adapter. */
export function fundAgents({ call }: Batch, { TestDollar, SettlementAdapter }: Contracts): void {
  const mints = agents.map(({ account }) => ({
    target: TestDollar,
    value: 0n,
    data: encodeFunctionData({
      abi: testDollarAbi,
      functionName: "mint",
      args: [account.address, parseUnits("50000", 6)],
    }),
  }));
  call(tokenDeployer, "Multicall", "aggregate", [mints]);
  for (const { account } of agents) call(account, "TestDollar", "approve", [SettlementAdapter, maxUint256]);
}
