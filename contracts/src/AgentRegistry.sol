// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title AgentRegistry
/// @notice Where agents make themselves known: who owns an agent, where its metadata is and what it says it can do.
/// @dev Metadata and public keys are taken as they are given; nothing is parsed or checked on chain.
contract AgentRegistry {
    /// @notice One registered agent. A revoked agent stays readable.
    struct Agent {
        address owner;
        string metadataURI;
        bytes pubkey;
        bytes32 capabilitiesHash;
        bool revoked;
    }

    /// @notice An agent was registered by its owner.
    /// @dev The public key and the capabilities hash are in the calldata and in `getAgent`.
    event AgentRegistered(uint256 indexed agentId, address indexed owner, string metadataURI);
    /// @notice The owner replaced the agent's metadata and capabilities.
    event AgentUpdated(uint256 indexed agentId, string metadataURI, bytes32 capabilitiesHash);
    /// @notice The owner revoked the agent, for good.
    event AgentRevoked(uint256 indexed agentId);

    /// @notice The sender does not own the agent.
    error Unauthorized();
    /// @notice No agent has this id.
    error AgentNotFound();
    /// @notice A revoked agent cannot be changed, nor revoked again.
    error AgentAlreadyRevoked();

    uint256 private agentCount;
    mapping(uint256 agentId => Agent) private agents;
    mapping(address owner => uint256[]) private agentsByOwner;

    /// @notice Registers an agent that the sender owns. An owner may have any number of them.
    function registerAgent(string calldata metadataURI, bytes calldata pubkey, bytes32 capabilitiesHash)
        external
        returns (uint256 agentId)
    {
        agentId = ++agentCount;
        agents[agentId] = Agent({
            owner: msg.sender,
            metadataURI: metadataURI,
            pubkey: pubkey,
            capabilitiesHash: capabilitiesHash,
            revoked: false
        });
        agentsByOwner[msg.sender].push(agentId);
        emit AgentRegistered(agentId, msg.sender, metadataURI);
    }

    /// @notice Replaces the metadata and capabilities of an agent that is not revoked. The public key never changes.
    function updateAgent(uint256 agentId, string calldata metadataURI, bytes32 capabilitiesHash) external {
        Agent storage agent = _ownedAndNotRevoked(agentId);
        agent.metadataURI = metadataURI;
        agent.capabilitiesHash = capabilitiesHash;
        emit AgentUpdated(agentId, metadataURI, capabilitiesHash);
    }

    /// @notice Revokes an agent, once and for good.
    function revokeAgent(uint256 agentId) external {
        _ownedAndNotRevoked(agentId).revoked = true;
        emit AgentRevoked(agentId);
    }

    /// @notice The agent with this id, revoked or not.
    function getAgent(uint256 agentId) external view returns (Agent memory) {
        return _existing(agentId);
    }

    /// @notice The ids of every agent the owner registered, revoked ones included, oldest first.
    function getAgentsByOwner(address owner) external view returns (uint256[] memory) {
        return agentsByOwner[owner];
    }

    function _existing(uint256 agentId) private view returns (Agent storage agent) {
        agent = agents[agentId];
        if (agent.owner == address(0)) revert AgentNotFound();
    }

    function _ownedAndNotRevoked(uint256 agentId) private view returns (Agent storage agent) {
        agent = _existing(agentId);
        if (agent.owner != msg.sender) revert Unauthorized();
        if (agent.revoked) revert AgentAlreadyRevoked();
    }
}
