// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {AttestationRegistry} from "../src/AttestationRegistry.sol";
import {Test} from "./Test.sol";

contract AttestationRegistryTest is Test {
    AttestationRegistry private registry;
    address private attester = actor("attester");

    function setUp() public override {
        super.setUp();
        registry = new AttestationRegistry();
    }

    function attest(bytes32 subject) private returns (uint256) {
        vm.prank(attester);
        return registry.submitAttestation(bytes32("schema"), subject, bytes32("data"));
    }

    function testFuzz_keepsWhatAnyoneAttests(
        address sender,
        bytes32 schema,
        bytes32 subject,
        bytes32 dataHash,
        uint64 timestamp
    ) public {
        vm.assume(sender != address(0));
        vm.warp(timestamp);
        vm.expectEmit(address(registry));
        emit AttestationRegistry.AttestationSubmitted(1, sender, schema, subject);
        vm.prank(sender);
        vm.assertEq(registry.submitAttestation(schema, subject, dataHash), 1);

        AttestationRegistry.Attestation memory attestation = registry.getAttestation(1);
        vm.assertEq(attestation.attester, sender);
        vm.assertEq(attestation.schema, schema);
        vm.assertEq(attestation.subject, subject);
        vm.assertEq(attestation.dataHash, dataHash);
        vm.assertEq(attestation.timestamp, timestamp);
        vm.assertFalse(attestation.revoked);
    }

    function test_listsTheAttestationsOfASubjectOldestFirst() public {
        attest("a");
        attest("b");
        attest("a");
        uint256[] memory expected = new uint256[](2);
        (expected[0], expected[1]) = (1, 3);
        vm.assertEq(registry.getAttestationsBySubject("a"), expected);
        vm.assertEq(registry.getAttestationsBySubject("c"), new uint256[](0));
    }

    function test_revokesOnce() public {
        attest("a");
        vm.expectEmit(address(registry));
        emit AttestationRegistry.AttestationRevoked(1);
        vm.prank(attester);
        registry.revokeAttestation(1);
        vm.assertTrue(registry.getAttestation(1).revoked);

        vm.expectRevert(AttestationRegistry.AlreadyRevoked.selector);
        vm.prank(attester);
        registry.revokeAttestation(1);
    }

    function testFuzz_onlyTheAttesterRevokes(address sender) public {
        vm.assume(sender != attester);
        attest("a");
        vm.expectRevert(AttestationRegistry.Unauthorized.selector);
        vm.prank(sender);
        registry.revokeAttestation(1);
    }

    function testFuzz_knowsNoAttestationThatWasNotSubmitted(uint256 attestationId) public {
        vm.assume(attestationId != 1);
        attest("a");
        vm.expectRevert(AttestationRegistry.AttestationNotFound.selector);
        registry.getAttestation(attestationId);
        vm.expectRevert(AttestationRegistry.AttestationNotFound.selector);
        registry.revokeAttestation(attestationId);
    }
}
