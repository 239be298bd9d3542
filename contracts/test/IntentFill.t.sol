// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IntentBook} from "../src/IntentBook.sol";
import {IntentTest} from "./IntentTest.sol";

/// @notice Intent 1 has a selected bid of 900 in, 600 out, that holds for half of the intent's hour.
contract IntentFillTest is IntentTest {
    function setUp() public override {
        super.setUp();
        submitAndSelect(exampleIntent());
    }

    function fillAs(address sender, IntentBook.Fill memory fill) private {
        vm.prank(sender);
        book.fillIntent(1, fill);
    }

    function refuse(bytes4 errorSelector, IntentBook.Fill memory fill) private {
        vm.expectRevert(errorSelector);
        fillAs(solver, fill);
        assertStatus(1, IntentBook.IntentStatus.OPEN);
    }

    function testFuzz_fillsExactlyAsBid(
        uint256 amountIn,
        uint256 amountOut,
        bytes calldata executionData,
        bytes32 resultHash,
        bytes32 traceHash,
        uint256 attestationId
    ) public {
        amountIn = bound(amountIn, 0, 1_000);
        amountOut = bound(amountOut, 500, type(uint256).max);
        select(1, bidAs(solver, 1, amountIn, amountOut));
        vm.expectEmit(address(book));
        emit IntentBook.IntentFilled(1, solver, amountIn, amountOut);
        vm.expectEmit(address(book));
        emit IntentBook.IntentFillProof(1, resultHash, traceHash, attestationId);
        fillAs(
            solver, IntentBook.Fill(amountIn, amountOut, solver, executionData, resultHash, traceHash, attestationId)
        );
        assertStatus(1, IntentBook.IntentStatus.FILLED);
    }

    function test_fillsOnce() public {
        fillAs(solver, exampleFill());
        vm.expectRevert(IntentBook.IntentNotOpen.selector);
        fillAs(solver, exampleFill());
    }

    function test_fillsNothingThatWasCancelledOrNeverThere() public {
        vm.prank(owner);
        book.cancelIntent(1);
        vm.startPrank(solver);
        vm.expectRevert(IntentBook.IntentNotOpen.selector);
        book.fillIntent(1, exampleFill());
        vm.expectRevert(IntentBook.IntentNotOpen.selector);
        book.fillIntent(2, exampleFill());
    }

    function testFuzz_fillsBeforeTheDeadlineOnly(uint256 timestamp) public {
        vm.prank(solver);
        book.submitBid(1, 900, 600, 0, DEADLINE, 0);
        select(1, 2);
        vm.warp(bound(timestamp, DEADLINE, type(uint64).max));
        refuse(IntentBook.IntentExpired.selector, exampleFill());
        vm.warp(DEADLINE - 1);
        fillAs(solver, exampleFill());
    }

    function testFuzz_fillsWhileTheBidHoldsOnly(uint256 timestamp) public {
        vm.warp(bound(timestamp, START + 30 minutes + 1, DEADLINE - 1));
        refuse(IntentBook.BidExpired.selector, exampleFill());
        vm.warp(START + 30 minutes);
        fillAs(solver, exampleFill());
    }

    function test_fillsNothingBeforeABidIsSelected() public {
        IntentBook.Intent memory intent = exampleIntent();
        intent.nonce = 8;
        submit(intent);
        bidAs(solver, 2, 900, 600);
        vm.expectRevert(IntentBook.SelectedBidRequired.selector);
        vm.prank(solver);
        book.fillIntent(2, exampleFill());
    }

    function testFuzz_onlyTheSelectedSolverFills(address sender) public {
        vm.assume(sender != solver);
        vm.expectRevert(IntentBook.Unauthorized.selector);
        fillAs(sender, exampleFill());
    }

    function test_solverWhoseSelectionWasUndoneFillsNoMore() public {
        select(1, bidAs(rival, 1, 900, 600));
        refuse(IntentBook.Unauthorized.selector, exampleFill());
    }

    function testFuzz_fillNamesTheSelectedSolver(address named) public {
        vm.assume(named != solver);
        IntentBook.Fill memory fill = exampleFill();
        fill.solver = named;
        refuse(IntentBook.BidNotSelected.selector, fill);
    }

    function testFuzz_refusesAmountsOtherThanTheBids(uint256 amountIn, uint256 amountOut) public {
        vm.assume(amountIn != 900 || amountOut != 600);
        IntentBook.Fill memory fill = exampleFill();
        (fill.amountIn, fill.amountOut) = (amountIn, amountOut);
        refuse(IntentBook.ConstraintViolation.selector, fill);
        (fill.amountIn, fill.amountOut) = (900, amountOut == 600 ? 601 : amountOut);
        refuse(IntentBook.ConstraintViolation.selector, fill);
        (fill.amountIn, fill.amountOut) = (amountIn == 900 ? 901 : amountIn, 600);
        refuse(IntentBook.ConstraintViolation.selector, fill);
    }
}
