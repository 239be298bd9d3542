// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {AttestorRegistry} from "../src/AttestorRegistry.sol";
import {Test} from "./Test.sol";

contract AttestorRegistryTest is Test {
    AttestorRegistry private registry;
    address private operator = actor("operator");

    function setUp() public override {
        super.setUp();
        registry = new AttestorRegistry();
    }

    function register(address sender) private returns (uint256) {
        vm.prank(sender);
        return registry.registerAttestor("ipfs://attestor", bytes32("schemas"));
    }

    function test_registersActiveWithIdsFromOne() public {
        vm.expectEmit(address(registry));
        emit AttestorRegistry.AttestorRegistered(1, operator, "ipfs://attestor", bytes32("schemas"));
        vm.assertEq(register(operator), 1);
        vm.assertEq(register(actor("other")), 2);

        AttestorRegistry.Attestor memory attestor = registry.getAttestor(1);
        vm.assertEq(attestor.operator, operator);
        vm.assertEq(attestor.metadataURI, "ipfs://attestor");
        vm.assertEq(attestor.schemasHash, bytes32("schemas"));
        vm.assertEq(attestor.attestations + attestor.revokedAttestations, 0);
        vm.assertTrue(attestor.active);
        vm.assertEq(registry.getAttestorByOperator(actor("other")), 2);
        vm.assertEq(registry.getAttestorByOperator(actor("nobody")), 0);
    }

    function test_refusesASecondAttestorOfOneOperator() public {
        register(operator);
        vm.prank(operator);
        registry.updateAttestor(1, "", 0, false);
        vm.expectRevert(AttestorRegistry.AttestorAlreadyRegistered.selector);
        register(operator);
    }

    function testFuzz_updatesEverythingButTheOperator(string calldata metadataURI, bytes32 schemasHash, bool active)
        public
    {
        register(operator);
        vm.expectEmit(address(registry));
        emit AttestorRegistry.AttestorUpdated(1, metadataURI, schemasHash, active);
        vm.prank(operator);
        registry.updateAttestor(1, metadataURI, schemasHash, active);

        AttestorRegistry.Attestor memory attestor = registry.getAttestor(1);
        vm.assertEq(attestor.operator, operator);
        vm.assertEq(attestor.metadataURI, metadataURI);
        vm.assertEq(attestor.schemasHash, schemasHash);
        vm.assertEq(attestor.active, active);
    }

    function testFuzz_onlyTheOperatorUpdates(address sender) public {
        vm.assume(sender != operator);
        register(operator);
        vm.expectRevert(AttestorRegistry.Unauthorized.selector);
        vm.prank(sender);
        registry.updateAttestor(1, "", 0, true);
    }

    function testFuzz_knowsNoAttestorThatWasNotRegistered(uint256 attestorId) public {
        vm.assume(attestorId != 1);
        register(operator);
        vm.expectRevert(AttestorRegistry.AttestorNotFound.selector);
        registry.getAttestor(attestorId);
        vm.expectRevert(AttestorRegistry.AttestorNotFound.selector);
        registry.updateAttestor(attestorId, "", 0, true);
    }
}
