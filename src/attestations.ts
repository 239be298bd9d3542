import { attestation, attesterActivity } from "ponder:schema";
import { getAbiItem } from "viem";
import { attestationRegistryAbi } from "../abis/index";
import { addTo } from "./lib/add-to";
import { directCall } from "./lib/calldata";
import { handle } from "./lib/handle";
import { unknownRow } from "./lib/unknown-row";

const submitAttestation = [getAbiItem({ abi: attestationRegistryAbi, name: "submitAttestation" })] as const;

handle("AttestationRegistry:AttestationSubmitted", async ({ event, context }) => {
  const { id, attester, schema, subject } = event.args;
  const call = directCall(event.transaction, event.log.address, submitAttestation);
  const dataHash =
    call && call[0] === schema && call[1] === subject && event.transaction.from === attester
      ? call[2]
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
    txHash: event.transaction.hash,
  });
  await addTo(context.db, attesterActivity, { attester }, { attestations: 1 });
});

handle("AttestationRegistry:AttestationRevoked", async ({ event, context }) => {
  const attestationId = event.args.id;
  const revoked = await context.db.find(attestation, { attestationId });
  if (!revoked) return unknownRow("attestation", attestationId);
  await context.db.update(attestation, { attestationId }).set({ revoked: true });
  await addTo(context.db, attesterActivity, { attester: revoked.attester }, { revokedAttestations: 1 });
});
