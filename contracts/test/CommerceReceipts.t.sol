// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {CommerceTypes} from "../src/CommerceTypes.sol";
import {CommerceTest} from "./CommerceTest.sol";

contract CommerceReceiptsTest is CommerceTest {
    function refuse(bytes4 errorSelector, address sender, bytes32 quoteHash) private {
        vm.expectRevert(errorSelector);
        receiptAs(sender, quoteHash);
    }

    function testFuzz_receiptsCarryWhatTheQuoteSaid(uint256 seed, uint256 amount, bytes32 resultHash) public {
        CommerceTypes.QuoteCommitment memory quote = exampleQuote(railOf(seed));
        quote.amount = amount;
        bytes32 quoteHash = commit(quote);
        vm.warp(START + 5);
        vm.expectEmit(address(registry));
        emit CommerceTypes.ReceiptRecorded(
            1,
            quoteHash,
            agent,
            1,
            1,
            quote.token,
            amount,
            uint8(quote.paymentRail),
            0,
            0,
            facilitator,
            resultHash,
            quote.resourceHash,
            0
        );
        vm.prank(seed % 4 < 2 ? agent : facilitator);
        vm.assertEq(registry.recordReceipt(quoteHash, resultHash), 1);
        vm.assertTrue(registry.getQuote(quoteHash).settled);

        CommerceTypes.Receipt memory expected = CommerceTypes.Receipt({
            quoteHash: quoteHash,
            agent: agent,
            merchantId: 1,
            serviceNumericId: 1,
            token: quote.token,
            amount: amount,
            paymentRail: quote.paymentRail,
            protocolFeeBps: 0,
            protocolFeeAmount: 0,
            facilitator: facilitator,
            resultHash: resultHash,
            resourceHash: quote.resourceHash,
            fulfillmentHash: 0
        });
        vm.assertEq(abi.encode(registry.getReceipt(1)), abi.encode(expected));
    }

    function test_merchantOwnerOrAgentReceiptsTransfersAndSwaps() public {
        for (uint256 rail = 0; rail < 2; rail++) {
            bytes32 quoteHash = commitExample(railOf(rail));
            refuse(CommerceTypes.Unauthorized.selector, facilitator, quoteHash);
            refuse(CommerceTypes.Unauthorized.selector, stranger, quoteHash);
            receiptAs(merchantOwner, quoteHash);
            receiptAs(agent, commitExample(railOf(rail)));
        }
    }

    function test_facilitatorReceiptsItsRails() public {
        for (uint256 rail = 2; rail < 4; rail++) {
            bytes32 quoteHash = commitExample(railOf(rail));
            refuse(CommerceTypes.Unauthorized.selector, merchantOwner, quoteHash);
            refuse(CommerceTypes.Unauthorized.selector, agent, quoteHash);
            receiptAs(facilitator, quoteHash);
        }
    }

    function test_aFacilitatorThatBecameInactiveReceiptsNothing() public {
        bytes32 quoteHash = commitExample(CommerceTypes.PaymentRail.X402);
        vm.prank(facilitator);
        registry.updateFacilitator(1, "", 0, false);
        refuse(CommerceTypes.FacilitatorInactive.selector, facilitator, quoteHash);
    }

    function test_settlesAQuoteOnce() public {
        bytes32 quoteHash = commitExample(CommerceTypes.PaymentRail.TRANSFER);
        receiptAs(agent, quoteHash);
        refuse(CommerceTypes.QuoteAlreadySettled.selector, agent, quoteHash);
    }

    function testFuzz_settlesUntilTheQuoteExpires(uint256 timestamp) public {
        bytes32 quoteHash = commitExample(CommerceTypes.PaymentRail.TRANSFER);
        vm.warp(bound(timestamp, EXPIRES_AT + 1, type(uint64).max));
        refuse(CommerceTypes.QuoteExpired.selector, agent, quoteHash);
        vm.warp(EXPIRES_AT);
        receiptAs(agent, quoteHash);
    }

    function testFuzz_recordsFulfilment(bytes32 fulfillmentHash) public {
        settleExample(CommerceTypes.PaymentRail.X402);
        address[2] memory senders = [merchantOwner, facilitator];
        for (uint256 i = 0; i < senders.length; i++) {
            vm.expectEmit(address(registry));
            emit CommerceTypes.FulfillmentRecorded(1, fulfillmentHash);
            vm.prank(senders[i]);
            registry.recordFulfillment(1, fulfillmentHash);
            vm.assertEq(registry.getReceipt(1).fulfillmentHash, fulfillmentHash);
        }
    }

    function testFuzz_nobodyElseRecordsFulfilment(address sender) public {
        vm.assume(sender != merchantOwner);
        settleExample(CommerceTypes.PaymentRail.TRANSFER);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        vm.prank(sender);
        registry.recordFulfillment(1, 0);
    }

    /// @dev On rails without one, the facilitator of the quote is only a name in it.
    function test_facilitatorOfAnotherRailRecordsNoFulfilment() public {
        settleExample(CommerceTypes.PaymentRail.SWAP);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        vm.prank(facilitator);
        registry.recordFulfillment(1, 0);
    }

    function testFuzz_knowsNoReceiptThatWasNotRecorded(uint256 receiptId) public {
        vm.assume(receiptId != 1);
        settleExample(CommerceTypes.PaymentRail.TRANSFER);
        vm.startPrank(merchantOwner);
        vm.expectRevert(CommerceTypes.ReceiptNotFound.selector);
        registry.getReceipt(receiptId);
        vm.expectRevert(CommerceTypes.ReceiptNotFound.selector);
        registry.recordFulfillment(receiptId, 0);
        vm.expectRevert(CommerceTypes.ReceiptNotFound.selector);
        registry.openDispute(receiptId, 0);
    }
}
