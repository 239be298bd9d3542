// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IntentBook} from "../src/IntentBook.sol";
import {IntentTest} from "./IntentTest.sol";

contract IntentBidsTest is IntentTest {
    function setUp() public override {
        super.setUp();
        submitExample();
    }

    function testFuzz_anyoneBidsWithinTheLimits(
        address sender,
        uint256 amountIn,
        uint256 amountOut,
        uint256 fee,
        uint256 validUntil,
        bytes32 executionHash
    ) public {
        amountIn = bound(amountIn, 0, 1_000);
        amountOut = bound(amountOut, 500, type(uint256).max);
        validUntil = bound(validUntil, START + 1, DEADLINE);
        vm.expectEmit(address(book));
        emit IntentBook.SolverBidSubmitted(1, 1, sender, amountIn, amountOut, fee, validUntil, executionHash);
        vm.prank(sender);
        vm.assertEq(book.submitBid(1, amountIn, amountOut, fee, validUntil, executionHash), 1);

        IntentBook.SolverBid memory bid = book.getBid(1, 1);
        vm.assertEq(bid.solver, sender);
        vm.assertEq(bid.amountIn, amountIn);
        vm.assertEq(bid.amountOut, amountOut);
        vm.assertEq(bid.fee, fee);
        vm.assertEq(bid.validUntil, validUntil);
        vm.assertEq(bid.executionHash, executionHash);
        vm.assertFalse(bid.selected);
        vm.assertTrue(bid.exists);
    }

    function test_countsBidsFromOneWithinEachIntent() public {
        IntentBook.Intent memory second = exampleIntent();
        second.nonce = 8;
        submit(second);
        vm.assertEq(bidAs(solver, 1, 900, 600), 1);
        vm.assertEq(bidAs(solver, 1, 900, 600), 2);
        vm.assertEq(bidAs(rival, 2, 900, 600), 1);
        vm.assertEq(book.getBid(2, 1).solver, rival);
        vm.assertFalse(book.getBid(2, 2).exists);
    }

    /// forge-config: default.fuzz.runs = 32
    function testFuzz_refusesMoreInThanTheMaximum(uint256 amountIn, uint256 amountInMax) public {
        amountInMax = bound(amountInMax, 0, type(uint256).max - 1);
        IntentBook.Intent memory intent = exampleIntent();
        intent.constraints.amountInMax = amountInMax;
        intent.nonce = 8;
        submit(intent);
        vm.expectRevert(IntentBook.ConstraintViolation.selector);
        book.submitBid(2, bound(amountIn, amountInMax + 1, type(uint256).max), 500, 0, DEADLINE, 0);
    }

    /// forge-config: default.fuzz.runs = 32
    function testFuzz_refusesLessOutThanTheMinimum(uint256 amountOut, uint256 amountOutMin) public {
        amountOutMin = bound(amountOutMin, 1, type(uint256).max);
        IntentBook.Intent memory intent = exampleIntent();
        intent.constraints.amountOutMin = amountOutMin;
        intent.nonce = 8;
        submit(intent);
        vm.expectRevert(IntentBook.ConstraintViolation.selector);
        book.submitBid(2, 1_000, bound(amountOut, 0, amountOutMin - 1), 0, DEADLINE, 0);
    }

    function testFuzz_refusesABidThatHoldsNoTimeAtAll(uint256 validUntil) public {
        vm.expectRevert(IntentBook.InvalidBid.selector);
        book.submitBid(1, 900, 600, 0, bound(validUntil, 0, START), 0);
    }

    function testFuzz_refusesABidThatOutlivesTheIntent(uint256 validUntil) public {
        vm.expectRevert(IntentBook.InvalidBid.selector);
        book.submitBid(1, 900, 600, 0, bound(validUntil, DEADLINE + 1, type(uint256).max), 0);
    }

    function testFuzz_takesNoBidFromTheDeadlineOn(uint256 timestamp) public {
        vm.warp(DEADLINE - 1);
        vm.assertEq(book.submitBid(1, 900, 600, 0, DEADLINE, 0), 1);
        vm.warp(bound(timestamp, DEADLINE, type(uint64).max));
        vm.expectRevert(IntentBook.IntentExpired.selector);
        book.submitBid(1, 900, 600, 0, DEADLINE, 0);
    }

    function test_takesNoBidOnAnIntentThatIsNotOpen() public {
        vm.prank(owner);
        book.cancelIntent(1);
        vm.expectRevert(IntentBook.IntentNotOpen.selector);
        book.submitBid(1, 900, 600, 0, DEADLINE, 0);
        vm.expectRevert(IntentBook.IntentNotOpen.selector);
        book.submitBid(2, 900, 600, 0, DEADLINE, 0);
    }

    function test_ownerSelectsABid() public {
        bidAs(solver, 1, 900, 600);
        vm.expectEmit(address(book));
        emit IntentBook.SolverBidSelected(1, 1, solver);
        select(1, 1);
        vm.assertEq(book.getSelectedBid(1), 1);
        vm.assertTrue(book.getBid(1, 1).selected);
    }

    function test_selectingAgainUndoesTheEarlierSelection() public {
        bidAs(solver, 1, 900, 600);
        bidAs(rival, 1, 800, 700);
        select(1, 1);
        vm.expectEmit(address(book));
        emit IntentBook.SolverBidSelected(1, 2, rival);
        select(1, 2);
        vm.assertEq(book.getSelectedBid(1), 2);
        vm.assertFalse(book.getBid(1, 1).selected);
        vm.assertTrue(book.getBid(1, 2).selected);
    }

    function test_selectsTheSameBidAgain() public {
        bidAs(solver, 1, 900, 600);
        select(1, 1);
        vm.expectEmit(address(book));
        emit IntentBook.SolverBidSelected(1, 1, solver);
        select(1, 1);
        vm.assertTrue(book.getBid(1, 1).selected);
    }

    function testFuzz_selectsNoBidThatIsNotThere(uint256 bidId) public {
        vm.assume(bidId != 1);
        bidAs(solver, 1, 900, 600);
        vm.expectRevert(IntentBook.BidNotFound.selector);
        select(1, bidId);
    }

    function testFuzz_onlyTheOwnerSelects(address sender) public {
        vm.assume(sender != owner);
        bidAs(solver, 1, 900, 600);
        vm.expectRevert(IntentBook.Unauthorized.selector);
        vm.prank(sender);
        book.selectBid(1, 1);
    }

    function test_selectsNothingOnAnIntentThatIsNotOpen() public {
        bidAs(solver, 1, 900, 600);
        vm.prank(owner);
        book.cancelIntent(1);
        vm.expectRevert(IntentBook.IntentNotOpen.selector);
        select(1, 1);
    }
}
