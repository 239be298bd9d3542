/** The only algorithm of version 1: ECDH with an ephemeral P-256 key, HKDF-SHA-256, AES-256-GCM. */
export const PAYLOAD_ENCRYPTION = "ECDH-P256+HKDF-SHA256+A256GCM";
