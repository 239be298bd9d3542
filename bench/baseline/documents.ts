import { Router } from "express";
import { keccak256 } from "viem";
import { query } from "./database";
import { HttpError, hash, id, notFound, optional, text } from "./input";

export const documents = Router();

documents.get("/catalogs/:hash", async (req, res) => {
  const documentHash = hash("hash", req.params.hash);
  const [row] = await query<{ bytes: Buffer }>(
    "SELECT bytes FROM offchain.document WHERE kind = 'catalog' AND hash = $1",
    [documentHash],
  );
  if (!row) throw notFound(`Catalog ${documentHash} not found`);
  res.type("application/json").send(row.bytes);
});

const MAX_DOCUMENT_BYTES = 128 * 1024;

function jsonText(name: string, value: unknown): string {
  if (typeof value !== "string") throw new HttpError(400, `${name}: must be a string of JSON`);
  try {
    JSON.parse(value);
  } catch {
    throw new HttpError(400, `${name}: is not valid JSON`);
  }
  return value;
}

documents.post("/catalogs", async (req, res) => {
  const bytes = Buffer.from(jsonText("catalog_json", req.body?.catalog_json));
  if (bytes.length > MAX_DOCUMENT_BYTES)
    throw new HttpError(413, `catalog_json: must have at most ${MAX_DOCUMENT_BYTES} bytes`);
  const merchantId = optional(id, "merchant_id", req.body);
  const serviceId = optional(text, "service_id", req.body);
  const expected = optional(hash, "expected_hash", req.body);
  const actual = keccak256(bytes);
  if (expected !== undefined && expected !== actual)
    throw new HttpError(409, `expected_hash: is ${expected}, but the text's hash is ${actual}`);
  // A later publication only fills empty fields.
  const [row] = await query(
    `INSERT INTO offchain.document AS d (kind, hash, bytes, size_bytes, merchant_id, service_id)
     VALUES ('catalog', $1, $2, $3, $4, $5)
     ON CONFLICT (kind, hash) DO UPDATE SET
       merchant_id = coalesce(d.merchant_id, excluded.merchant_id),
       service_id = coalesce(d.service_id, excluded.service_id),
       updated_at = CASE WHEN (d.merchant_id IS NULL AND excluded.merchant_id IS NOT NULL)
         OR (d.service_id IS NULL AND excluded.service_id IS NOT NULL) THEN now() ELSE d.updated_at END
     RETURNING hash AS catalog_hash, merchant_id, service_id, size_bytes`,
    [actual, bytes, bytes.length, merchantId, serviceId],
  );
  res.status(201).json({ ...row, uri: `${req.protocol}://${req.get("host")}/catalogs/${actual}` });
});
