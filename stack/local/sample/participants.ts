import { parseEther } from "viem";
import type { Protocol } from "../protocol";
import { solverMetadata } from "./metadata";
import { hashOf, people } from "./people";

const { alice, bob, swiftSolver, thriftySolver, attestor } = people;

/** Registers two solvers. One adds to its bond; the other deactivates, withdraws part of its bond, and reactivates. */
export async function registerSolvers({ write }: Protocol): Promise<void> {
  await write(
    swiftSolver,
    "SolverRegistry",
    "registerSolver",
    ["ipfs://solvers/swift", hashOf("swap")],
    parseEther("2"),
  );
  await write(
    thriftySolver,
    "SolverRegistry",
    "registerSolver",
    ["ipfs://solvers/thrifty", hashOf("swap")],
    parseEther("1"),
  );
  await write(swiftSolver, "SolverRegistry", "addBond", [1n], parseEther("0.5"));
  await write(thriftySolver, "SolverRegistry", "updateSolver", [2n, "ipfs://solvers/thrifty", hashOf("swap"), false]);
  await write(thriftySolver, "SolverRegistry", "withdrawBond", [2n, parseEther("0.25")]);
  await write(thriftySolver, "SolverRegistry", "updateSolver", [2n, solverMetadata, hashOf("swap,bridge"), true]);
}

/** The attestation that one of the sample intents requires. */
export const solverAttestation = {
  id: 1n,
  subject: hashOf("swift solver"),
  schema: hashOf("solver_reputation"),
} as const;

/** Submits attestations of an address that later registers as an attestor and of one that never does. Revokes one. */
export async function attest({ write }: Protocol): Promise<void> {
  const { subject, schema } = solverAttestation;
  await write(attestor, "AttestationRegistry", "submitAttestation", [schema, subject, hashOf("fills on time")]);
  await write(attestor, "AttestationRegistry", "submitAttestation", [
    hashOf("safety_review"),
    hashOf("trader"),
    hashOf("reviewed"),
  ]);
  await write(alice, "AttestationRegistry", "submitAttestation", [
    hashOf("tool_capability"),
    hashOf("shopper"),
    hashOf("can pay"),
  ]);
  await write(attestor, "AttestationRegistry", "revokeAttestation", [2n]);
  await write(attestor, "AttestorRegistry", "registerAttestor", [
    "ipfs://attestors/first",
    hashOf("solver_reputation"),
  ]);
  await write(bob, "AttestorRegistry", "registerAttestor", ["ipfs://attestors/second", hashOf("model_provider")]);
  await write(attestor, "AttestorRegistry", "updateAttestor", [
    1n,
    "ipfs://attestors/first-v2",
    hashOf("solver_reputation,safety_review"),
    true,
  ]);
  await write(bob, "AttestorRegistry", "updateAttestor", [
    2n,
    "ipfs://attestors/second",
    hashOf("model_provider"),
    false,
  ]);
}
