import { attestation, attesterActivity } from "ponder:schema";
import { getAbiItem } from "viem";
import { attestationRegistryAbi } from "../abis/index";
import { addTo } from "./lib/add-to";
import { directCalls } from "./lib/calldata";
import { handle } from "./lib/handle";
import { known } from "./lib/known-row";

const submitAttestationCall = directCalls(getAbiItem({ abi: attestationRegistryAbi, name: "submitAttestation" }));

handle("AttestationRegistry:AttestationSubmitted", async ({ event, context }) => {
  const { id, attester, schema, subject } = event.args;
  const call = submitAttestationCall(event.transaction, event.log.address);
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
  });
  await addTo(context.db, attesterActivity, { attester }, { attestations: 1 });
});

handle("AttestationRegistry:AttestationRevoked", async ({ event, context }) => {
  const attestationId = event.args.id;
  const update = context.db.update(attestation, { attestationId }).set({ revoked: true });
  const revoked = await known(update, "attestation", attestationId);
  if (revoked) await addTo(context.db, attesterActivity, { attester: revoked.attester }, { revokedAttestations: 1 });
});
