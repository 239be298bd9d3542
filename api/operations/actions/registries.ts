import { type Hex, zeroAddress, zeroHash } from "viem";
import { amountTerm, subjectTerm } from "../../actions/terms";
import { bytes, flag, hash } from "../../core/inputs";
import { agents } from "../agents";
import { attestations } from "../attestations";
import { attestors } from "../attestors";
import { solvers } from "../solvers";
import { actionsOf } from "./action";
import {
  capabilityFields,
  describeActivity,
  describeUri,
  describeValues,
  hashOf,
  metadataFields,
  metadataOf,
} from "./metadata";

// Identities: agents, solvers, attestors, and what they attest.

const alice = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const bob = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";

const capabilities = {
  ...capabilityFields("capabilities_hash"),
  capabilities_hash: hash.optional().openapi({ description: "The hash itself. Instead of capabilities." }),
};

const agent = actionsOf("AgentRegistry");
const attestation = actionsOf("AttestationRegistry");
const attestor = actionsOf("AttestorRegistry");
const solver = actionsOf("SolverRegistry");

const optionalActive = { active: flag.optional().openapi({ description: "Default: unchanged." }) };

export const registryActions = {
  registerAgent: agent("registerAgent", {
    title: "Prepares the registration of an agent.",
    fields: {
      ...metadataFields,
      ...capabilities,
      pubkey: bytes.optional().openapi({ description: "Its public key. Default: empty." }),
    },
    publishes: true,
    example: { from: alice, metadata_uri: "ipfs://agents/2", capabilities: "trade" },
    async plan(input, scope) {
      const { uri } = await metadataOf(input, scope);
      const { pubkey = "0x" } = input;
      const capabilitiesHash = hashOf("capabilities_hash", input.capabilities_hash, input.capabilities);
      return {
        summary: `Register an agent of ${scope.from}: ${describeUri(uri)}, ${describeValues({ "public key": pubkey, "capabilities hash": capabilitiesHash })}.`,
        args: { metadataURI: uri, pubkey, capabilitiesHash },
      };
    },
  }),

  updateAgent: agent("updateAgent", {
    title: "Prepares a change of an agent's metadata.",
    description: "What is not given stays as it is.",
    fields: { ...metadataFields, ...capabilities },
    publishes: true,
    example: { from: alice, agent_id: "1", metadata_uri: "ipfs://agents/1" },
    async plan(input, scope) {
      const found = await scope.read(agents.get, { agentId: input.agent_id });
      const current = { uri: found.metadata_uri, hash: found.capabilities_hash as Hex };
      const { uri } = await metadataOf(input, scope, current);
      const capabilitiesHash = hashOf(
        "capabilities_hash",
        input.capabilities_hash,
        input.capabilities,
        found.capabilities_hash as Hex,
      );
      return {
        summary: `Update ${await scope.record("agent", input.agent_id)}: ${describeUri(uri)}, ${describeValues({ "capabilities hash": capabilitiesHash })}.`,
        args: { metadataURI: uri, capabilitiesHash },
      };
    },
  }),

  revokeAgent: agent("revokeAgent", {
    title: "Prepares the revocation of an agent.",
    description: "It is final.",
    example: { from: bob, agent_id: "2" },
    plan: async ({ agent_id }, scope) => ({
      summary: `Revoke ${await scope.record("agent", agent_id)} for good.`,
    }),
  }),

  submitAttestation: attestation("submitAttestation", {
    title: "Prepares an attestation.",
    fields: {
      subject: subjectTerm,
      data_hash: hash.optional().openapi({ description: "The hash of the data. Default: zero." }),
    },
    example: { from: alice, schema: `0x${"1f".repeat(32)}`, subject: bob },
    plan: async ({ schema, subject, data_hash }, scope) => ({
      summary: `Attest, as ${scope.from}, the subject ${subject} under schema ${schema}, ${describeValues({ "data hash": data_hash ?? zeroHash })}.`,
      args: { dataHash: data_hash ?? zeroHash },
    }),
  }),

  revokeAttestation: attestation("revokeAttestation", {
    title: "Prepares the revocation of an attestation.",
    example: { from: "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc", attestation_id: "1" },
    async plan({ attestation_id }, scope) {
      const { subject, schema_hash } = await scope.read(attestations.get, { id: attestation_id });
      return { summary: `Revoke attestation ${attestation_id} of the subject ${subject} under schema ${schema_hash}.` };
    },
  }),

  registerAttestor: attestor("registerAttestor", {
    title: "Prepares the registration of an attestor.",
    fields: {
      ...metadataFields,
      schemas_hash: hash.optional().openapi({ description: "The hash of its schemas. Default: zero." }),
    },
    publishes: true,
    example: { from: bob, metadata_uri: "ipfs://attestors/2" },
    async plan(input, scope) {
      const { uri } = await metadataOf(input, scope);
      const schemasHash = input.schemas_hash ?? zeroHash;
      return {
        summary: `Register ${scope.from} as an attestor: ${describeUri(uri)}, ${describeValues({ "schemas hash": schemasHash })}.`,
        args: { metadataURI: uri, schemasHash },
      };
    },
  }),

  updateAttestor: attestor("updateAttestor", {
    title: "Prepares a change of an attestor.",
    description: "What is not given stays as it is.",
    fields: { ...metadataFields, schemas_hash: hash.optional(), ...optionalActive },
    publishes: true,
    example: { from: "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc", attestor_id: "1", active: false },
    async plan(input, scope) {
      const found = await scope.read(attestors.get, { id: input.attestor_id });
      const schemasHash = input.schemas_hash ?? (found.schemas_hash as Hex);
      const { uri } = await metadataOf(input, scope, { uri: found.metadata_uri, hash: zeroHash });
      const active = input.active ?? found.active;
      return {
        summary: `Update ${await scope.record("attestor", input.attestor_id)}: ${describeUri(uri)}, ${describeValues({ "schemas hash": schemasHash })}, and ${describeActivity(found.active, active)}.`,
        args: { metadataURI: uri, schemasHash, active },
      };
    },
  }),

  registerSolver: solver("registerSolver", {
    title: "Prepares the registration of a solver.",
    fields: {
      ...metadataFields,
      ...capabilities,
      bond: amountTerm.optional().openapi({
        description: "The bond, in wei or with the symbol of the native coin. Default: none.",
        example: "1 ETH",
      }),
    },
    publishes: true,
    example: { from: bob, metadata_uri: "ipfs://solvers/3", bond: "1 ETH" },
    async plan(input, scope) {
      const { uri } = await metadataOf(input, scope);
      const bond = await scope.amount("bond", input.bond ?? { raw: 0n }, zeroAddress);
      const capabilitiesHash = hashOf("capabilities_hash", input.capabilities_hash, input.capabilities);
      const deposit = bond === 0n ? "without a bond" : `with a bond of ${await scope.money(bond, zeroAddress)}`;
      return {
        summary: `Register ${scope.from} as a solver ${deposit}: ${describeUri(uri)}, ${describeValues({ "capabilities hash": capabilitiesHash })}.`,
        args: { metadataURI: uri, capabilitiesHash },
        value: bond,
      };
    },
  }),

  updateSolver: solver("updateSolver", {
    title: "Prepares a change of a solver.",
    description: "What is not given stays as it is.",
    fields: { ...metadataFields, ...capabilities, ...optionalActive },
    publishes: true,
    example: { from: "0x90f79bf6eb2c4f870365e785982e1f101e93b906", solver_id: "1", active: false },
    async plan(input, scope) {
      const found = await scope.read(solvers.get, { id: input.solver_id });
      const current = found.capabilities_hash as Hex;
      const { uri } = await metadataOf(input, scope, { uri: found.metadata_uri, hash: current });
      const active = input.active ?? found.active;
      const capabilitiesHash = hashOf("capabilities_hash", input.capabilities_hash, input.capabilities, current);
      return {
        summary: `Update ${await scope.record("solver", input.solver_id)}: ${describeUri(uri)}, ${describeValues({ "capabilities hash": capabilitiesHash })}, and ${describeActivity(found.active, active)}.`,
        args: { metadataURI: uri, capabilitiesHash, active },
      };
    },
  }),

  addBond: solver("addBond", {
    title: "Prepares an addition to a solver's bond.",
    fields: {
      amount: amountTerm.openapi({ description: "In wei, or with the symbol of the native coin.", example: "1 ETH" }),
    },
    example: { from: "0x90f79bf6eb2c4f870365e785982e1f101e93b906", solver_id: "1", amount: "0.5 ETH" },
    async plan({ solver_id, amount }, scope) {
      const added = await scope.amount("amount", amount, zeroAddress);
      const { operator } = await scope.read(solvers.get, { id: solver_id });
      return {
        summary: `Add ${await scope.money(added, zeroAddress)} to the bond of ${await scope.record("solver", solver_id)}, which ${operator} operates.`,
        value: added,
      };
    },
  }),

  withdrawBond: solver("withdrawBond", {
    title: "Prepares a withdrawal from a solver's bond.",
    description: "The solver must be inactive.",
    fields: {
      amount: amountTerm.openapi({ description: "In wei, or with the symbol of the native coin.", example: "1 ETH" }),
    },
    example: { from: "0x90f79bf6eb2c4f870365e785982e1f101e93b906", solver_id: "1", amount: "0.5 ETH" },
    async plan({ solver_id, amount }, scope) {
      const withdrawn = await scope.amount("amount", amount, zeroAddress);
      const { operator } = await scope.read(solvers.get, { id: solver_id });
      return {
        summary: `Withdraw ${await scope.money(withdrawn, zeroAddress)} from the bond of ${await scope.record("solver", solver_id)} to its operator ${operator}.`,
        args: { amount: withdrawn },
      };
    },
  }),
};
