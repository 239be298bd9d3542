// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {AgentRegistry} from "../src/AgentRegistry.sol";
import {Test} from "./Test.sol";

contract AgentRegistryTest is Test {
    AgentRegistry private registry;
    address private owner = actor("owner");
    address private stranger = actor("stranger");

    function setUp() public override {
        super.setUp();
        registry = new AgentRegistry();
    }

    function register() private returns (uint256) {
        vm.prank(owner);
        return registry.registerAgent("ipfs://one", hex"04aa", bytes32("can"));
    }

    function test_registersWithIdsFromOne() public {
        vm.expectEmit(address(registry));
        emit AgentRegistry.AgentRegistered(1, owner, "ipfs://one");
        vm.assertEq(register(), 1);
        vm.assertEq(register(), 2);
    }

    function testFuzz_keepsEverythingOfARegistration(
        address sender,
        string calldata metadataURI,
        bytes calldata pubkey,
        bytes32 capabilitiesHash
    ) public {
        vm.assume(sender != address(0));
        vm.expectEmit(address(registry));
        emit AgentRegistry.AgentRegistered(1, sender, metadataURI);
        vm.prank(sender);
        registry.registerAgent(metadataURI, pubkey, capabilitiesHash);

        AgentRegistry.Agent memory agent = registry.getAgent(1);
        vm.assertEq(agent.owner, sender);
        vm.assertEq(agent.metadataURI, metadataURI);
        vm.assertEq(agent.pubkey, pubkey);
        vm.assertEq(agent.capabilitiesHash, capabilitiesHash);
        vm.assertFalse(agent.revoked);
    }

    function test_listsTheAgentsOfAnOwnerOldestFirst() public {
        register();
        vm.prank(stranger);
        registry.registerAgent("", "", 0);
        register();
        vm.prank(owner);
        registry.revokeAgent(1);

        uint256[] memory expected = new uint256[](2);
        (expected[0], expected[1]) = (1, 3);
        vm.assertEq(registry.getAgentsByOwner(owner), expected);
        vm.assertEq(registry.getAgentsByOwner(actor("nobody")), new uint256[](0));
    }

    function testFuzz_updatesMetadataAndCapabilitiesOnly(string calldata metadataURI, bytes32 capabilitiesHash) public {
        register();
        vm.expectEmit(address(registry));
        emit AgentRegistry.AgentUpdated(1, metadataURI, capabilitiesHash);
        vm.prank(owner);
        registry.updateAgent(1, metadataURI, capabilitiesHash);

        AgentRegistry.Agent memory agent = registry.getAgent(1);
        vm.assertEq(agent.metadataURI, metadataURI);
        vm.assertEq(agent.capabilitiesHash, capabilitiesHash);
        vm.assertEq(agent.owner, owner);
        vm.assertEq(agent.pubkey, hex"04aa");
    }

    function test_revokesOnce() public {
        register();
        vm.expectEmit(address(registry));
        emit AgentRegistry.AgentRevoked(1);
        vm.prank(owner);
        registry.revokeAgent(1);
        vm.assertTrue(registry.getAgent(1).revoked);
        vm.assertEq(registry.getAgent(1).metadataURI, "ipfs://one");

        vm.expectRevert(AgentRegistry.AgentAlreadyRevoked.selector);
        vm.prank(owner);
        registry.revokeAgent(1);
    }

    function test_refusesToUpdateARevokedAgent() public {
        register();
        vm.startPrank(owner);
        registry.revokeAgent(1);
        vm.expectRevert(AgentRegistry.AgentAlreadyRevoked.selector);
        registry.updateAgent(1, "", 0);
    }

    function testFuzz_onlyTheOwnerUpdatesAndRevokes(address sender) public {
        vm.assume(sender != owner);
        register();
        vm.startPrank(sender);
        vm.expectRevert(AgentRegistry.Unauthorized.selector);
        registry.updateAgent(1, "", 0);
        vm.expectRevert(AgentRegistry.Unauthorized.selector);
        registry.revokeAgent(1);
    }

    function testFuzz_knowsNoAgentThatWasNotRegistered(uint256 agentId) public {
        vm.assume(agentId != 1);
        register();
        vm.startPrank(owner);
        vm.expectRevert(AgentRegistry.AgentNotFound.selector);
        registry.getAgent(agentId);
        vm.expectRevert(AgentRegistry.AgentNotFound.selector);
        registry.updateAgent(agentId, "", 0);
        vm.expectRevert(AgentRegistry.AgentNotFound.selector);
        registry.revokeAgent(agentId);
    }
}
