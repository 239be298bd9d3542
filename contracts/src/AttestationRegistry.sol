// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title AttestationRegistry
/// @notice Statements about a subject under a schema. Anyone may attest; only the attester may revoke.
contract AttestationRegistry {
    /// @notice One statement. What is stated stays off chain; `dataHash` commits to it.
    struct Attestation {
        address attester;
        bytes32 schema;
        bytes32 subject;
        bytes32 dataHash;
        uint64 timestamp;
        bool revoked;
    }

    /// @notice Somebody attested something about a subject.
    /// @dev The data hash is in the calldata and in `getAttestation`.
    event AttestationSubmitted(uint256 indexed id, address indexed attester, bytes32 indexed schema, bytes32 subject);
    /// @notice The attester took the attestation back.
    event AttestationRevoked(uint256 indexed id);

    /// @notice The sender is not the attester.
    error Unauthorized();
    /// @notice No attestation has this id.
    error AttestationNotFound();
    /// @notice An attestation can be revoked once only.
    error AlreadyRevoked();

    uint256 private attestationCount;
    mapping(uint256 attestationId => Attestation) private attestations;
    mapping(bytes32 subject => uint256[]) private attestationsBySubject;

    /// @notice Attests, as the sender, that the data behind `dataHash` holds for the subject.
    function submitAttestation(bytes32 schema, bytes32 subject, bytes32 dataHash) external returns (uint256) {
        uint256 attestationId = ++attestationCount;
        attestations[attestationId] = Attestation({
            attester: msg.sender,
            schema: schema,
            subject: subject,
            dataHash: dataHash,
            timestamp: uint64(block.timestamp),
            revoked: false
        });
        attestationsBySubject[subject].push(attestationId);
        emit AttestationSubmitted(attestationId, msg.sender, schema, subject);
        return attestationId;
    }

    /// @notice Takes an attestation back, for good.
    function revokeAttestation(uint256 attestationId) external {
        Attestation storage attestation = _existing(attestationId);
        if (attestation.attester != msg.sender) revert Unauthorized();
        if (attestation.revoked) revert AlreadyRevoked();
        attestation.revoked = true;
        emit AttestationRevoked(attestationId);
    }

    /// @notice The attestation with this id, revoked or not.
    function getAttestation(uint256 attestationId) external view returns (Attestation memory) {
        return _existing(attestationId);
    }

    /// @notice The ids of every attestation about the subject, revoked ones included, oldest first.
    function getAttestationsBySubject(bytes32 subject) external view returns (uint256[] memory) {
        return attestationsBySubject[subject];
    }

    function _existing(uint256 attestationId) private view returns (Attestation storage attestation) {
        attestation = attestations[attestationId];
        if (attestation.attester == address(0)) revert AttestationNotFound();
    }
}
