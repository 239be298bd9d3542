import { attestation, total } from "ponder:schema";
import { type Address, getAbiItem } from "viem";
import { attestationRegistryAbi } from "../abis/index";
import { countActivity } from "./lib/activity";
import { addTo } from "./lib/add-to";
import { directCall } from "./lib/calldata";
import type { Handlers } from "./lib/handle";
import { known } from "./lib/known-row";

const submittedAttestation = directCall(
  getAbiItem({ abi: attestationRegistryAbi, name: "submitAttestation" }),
  (args) => ({ schema: args.bytes32(0), subject: args.bytes32(1), dataHash: args.bytes32(2) }),
);

const attestationsBy = (attester: Address) => ({ subject: "attestations_by_attester", key: attester }) as const;

export const attestations: Handlers<"AttestationRegistry"> = {
  async AttestationSubmitted({ event, context }) {
    const { id, attester, schema, subject } = event.args;
    const called = submittedAttestation(event.transaction, event.log.address);
    const dataHash =
      called?.schema === schema && called.subject === subject && event.transaction.from === attester
        ? called.dataHash
        : (
            await context.client.readContract({
              abi: attestationRegistryAbi,
              address: event.log.address,
              functionName: "getAttestation",
              args: [id],
            })
          ).dataHash;
    await context.db.insert(attestation).values({
      attestationId: id,
      attester,
      schemaHash: schema,
      subject,
      dataHash,
      timestamp: event.block.timestamp,
      revoked: false,
      blockNumber: event.block.number,
    });
    await addTo(context.db, total, attestationsBy(attester), { count: 1 });
    await countActivity({ event, context }, "attestations");
  },

  async AttestationRevoked({ event, context }) {
    const attestationId = event.args.id;
    const update = context.db.update(attestation, { attestationId }).set({ revoked: true });
    const revoked = await known(update, "attestation", attestationId);
    if (revoked) await addTo(context.db, total, attestationsBy(revoked.attester), { revoked: 1 });
  },
};
