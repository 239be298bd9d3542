// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title AttestorRegistry
/// @notice Who attests as a service, and under which schemas. Attesting itself needs no registration.
contract AttestorRegistry {
    /// @notice One attestor; its attestations are those of its operator address.
    struct Attestor {
        address operator;
        string metadataURI;
        bytes32 schemasHash;
        /// @dev The registry never changes the counters: indexers count attestations from events.
        uint256 attestations;
        uint256 revokedAttestations;
        bool active;
    }

    /// @notice An operator registered as an attestor, active from the start.
    event AttestorRegistered(
        uint256 indexed attestorId, address indexed operator, string metadataURI, bytes32 schemasHash
    );
    /// @notice The operator replaced what is known of the attestor.
    event AttestorUpdated(uint256 indexed attestorId, string metadataURI, bytes32 schemasHash, bool active);

    /// @notice The sender does not operate the attestor.
    error Unauthorized();
    /// @notice No attestor has this id.
    error AttestorNotFound();
    /// @notice The operator has registered before.
    error AttestorAlreadyRegistered();

    uint256 private attestorCount;
    mapping(uint256 attestorId => Attestor) private attestors;
    mapping(address operator => uint256 attestorId) private attestorByOperator;

    /// @notice Registers the sender as an attestor, once per operator.
    function registerAttestor(string calldata metadataURI, bytes32 schemasHash) external returns (uint256 attestorId) {
        if (attestorByOperator[msg.sender] != 0) revert AttestorAlreadyRegistered();
        attestorId = ++attestorCount;
        attestorByOperator[msg.sender] = attestorId;
        attestors[attestorId] = Attestor({
            operator: msg.sender,
            metadataURI: metadataURI,
            schemasHash: schemasHash,
            attestations: 0,
            revokedAttestations: 0,
            active: true
        });
        emit AttestorRegistered(attestorId, msg.sender, metadataURI, schemasHash);
    }

    /// @notice Replaces what is known of the sender's attestor.
    function updateAttestor(uint256 attestorId, string calldata metadataURI, bytes32 schemasHash, bool active)
        external
    {
        Attestor storage attestor = _existing(attestorId);
        if (attestor.operator != msg.sender) revert Unauthorized();
        attestor.metadataURI = metadataURI;
        attestor.schemasHash = schemasHash;
        attestor.active = active;
        emit AttestorUpdated(attestorId, metadataURI, schemasHash, active);
    }

    /// @notice The attestor with this id.
    function getAttestor(uint256 attestorId) external view returns (Attestor memory) {
        return _existing(attestorId);
    }

    /// @notice The id of the operator's attestor, 0 when it has none.
    function getAttestorByOperator(address operator) external view returns (uint256) {
        return attestorByOperator[operator];
    }

    function _existing(uint256 attestorId) private view returns (Attestor storage attestor) {
        attestor = attestors[attestorId];
        if (attestor.operator == address(0)) revert AttestorNotFound();
    }
}
