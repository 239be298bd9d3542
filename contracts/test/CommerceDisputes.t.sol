// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {CommerceTypes} from "../src/CommerceTypes.sol";
import {CommerceTest} from "./CommerceTest.sol";

/// @notice Disputes about receipt 1, and trust signals.
contract CommerceDisputesTest is CommerceTest {
    function setUp() public override {
        super.setUp();
        settleExample(CommerceTypes.PaymentRail.TRANSFER);
    }

    function open() private {
        vm.prank(agent);
        registry.openDispute(1, bytes32("reason"));
    }

    function testFuzz_agentAndMerchantOwnerOpenDisputes(bytes32 reasonHash) public {
        address[2] memory senders = [agent, merchantOwner];
        for (uint256 i = 0; i < senders.length; i++) {
            vm.expectEmit(address(registry));
            emit CommerceTypes.DisputeOpened(i + 1, 1, senders[i], reasonHash);
            vm.prank(senders[i]);
            vm.assertEq(registry.openDispute(1, reasonHash), i + 1);
            CommerceTypes.Dispute memory expected = CommerceTypes.Dispute({
                receiptId: 1,
                opener: senders[i],
                reasonHash: reasonHash,
                status: CommerceTypes.DisputeStatus.OPEN,
                resolutionHash: 0
            });
            vm.assertEq(abi.encode(registry.getDispute(i + 1)), abi.encode(expected));
        }
    }

    function testFuzz_nobodyElseOpensADispute(address sender) public {
        vm.assume(sender != agent && sender != merchantOwner);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        vm.prank(sender);
        registry.openDispute(1, 0);
    }

    function testFuzz_merchantOwnerDecides(bool rejected, bytes32 resolutionHash) public {
        open();
        CommerceTypes.DisputeStatus status =
            rejected ? CommerceTypes.DisputeStatus.REJECTED : CommerceTypes.DisputeStatus.RESOLVED;
        vm.expectEmit(address(registry));
        emit CommerceTypes.DisputeResolved(1, uint8(status), resolutionHash);
        vm.prank(merchantOwner);
        registry.resolveDispute(1, status, resolutionHash);
        vm.assertEq(uint256(registry.getDispute(1).status), uint256(status));
        vm.assertEq(registry.getDispute(1).resolutionHash, resolutionHash);
        vm.assertEq(registry.getDispute(1).reasonHash, bytes32("reason"));
    }

    function testFuzz_nobodyElseDecides(address sender) public {
        vm.assume(sender != merchantOwner);
        open();
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        vm.prank(sender);
        registry.resolveDispute(1, CommerceTypes.DisputeStatus.RESOLVED, 0);
    }

    function test_refusesToResolveADisputeToOpen() public {
        open();
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        vm.prank(merchantOwner);
        registry.resolveDispute(1, CommerceTypes.DisputeStatus.OPEN, 0);
    }

    function testFuzz_knowsNoDisputeThatWasNotOpened(uint256 disputeId) public {
        vm.assume(disputeId != 1);
        open();
        vm.expectRevert(CommerceTypes.DisputeNotFound.selector);
        registry.getDispute(disputeId);
        vm.expectRevert(CommerceTypes.DisputeNotFound.selector);
        vm.prank(merchantOwner);
        registry.resolveDispute(disputeId, CommerceTypes.DisputeStatus.RESOLVED, 0);
    }

    function testFuzz_anyoneSignalsAboutAnySubject(
        address sender,
        uint256 subject,
        uint256 subjectId,
        uint256 kind,
        bytes32 signalHash
    ) public {
        CommerceTypes.SignalSubject subjectType = CommerceTypes.SignalSubject(subject % 4);
        CommerceTypes.SignalKind signalKind = CommerceTypes.SignalKind(kind % 4);
        vm.expectEmit(address(registry));
        emit CommerceTypes.TrustSignalRecorded(1, uint8(subjectType), subjectId, uint8(signalKind), sender, signalHash);
        vm.prank(sender);
        vm.assertEq(registry.recordTrustSignal(subjectType, subjectId, signalKind, signalHash), 1);
        CommerceTypes.TrustSignal memory expected = CommerceTypes.TrustSignal({
            subjectType: subjectType,
            subjectId: subjectId,
            kind: signalKind,
            reporter: sender,
            signalHash: signalHash
        });
        vm.assertEq(abi.encode(registry.getTrustSignal(1)), abi.encode(expected));
        vm.assertEq(registry.getTrustSignal(2).reporter, address(0));
    }
}
