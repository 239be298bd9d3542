// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {AttestationRegistry} from "../src/AttestationRegistry.sol";
import {IntentBook} from "../src/IntentBook.sol";
import {IntentHash} from "./IntentTest.sol";
import {Test} from "./Test.sol";

/// @notice Owners and solvers that use a book in any order, honestly and otherwise, and note every fill that went through.
contract IntentBookUsers is Test {
    /// @dev What was true at the moment of a fill.
    struct FillNote {
        uint256 count;
        uint256 amountIn;
        uint256 amountOut;
        uint256 timestamp;
        address sender;
        uint256 selectedBid;
    }

    IntentBook public immutable BOOK;
    uint256 public intentCount;
    uint256 public fillCount;
    mapping(uint256 intentId => bool) public cancelled;
    mapping(uint256 intentId => uint256) private bidCounts;
    mapping(uint256 intentId => FillNote) private notes;

    uint256[2] private ownerKeys = [key("owner"), key("other owner")];
    address[2] private owners = [actor("owner"), actor("other owner")];
    address[3] private solvers = [actor("solver"), actor("rival"), actor("outsider")];

    constructor(IntentBook book) {
        BOOK = book;
    }

    function noteOf(uint256 intentId) external view returns (FillNote memory) {
        return notes[intentId];
    }

    function submit(uint256 who, uint256 amountInMax, uint256 amountOutMin, uint256 lifetime) external {
        IntentBook.Intent memory intent;
        intent.owner = owners[who % owners.length];
        intent.constraints.amountInMax = bound(amountInMax, 0, 100);
        intent.constraints.amountOutMin = bound(amountOutMin, 0, 100);
        intent.constraints.deadline = block.timestamp + bound(lifetime, 1, 1 hours);
        intent.nonce = intentCount;
        bytes32 domain = domainSeparator("AgentIntentBook", block.chainid, address(BOOK));
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(ownerKeys[who % owners.length], typedDataHash(domain, IntentHash.structHash(intent)));
        intentCount = BOOK.submitIntent(intent, v, r, s);
    }

    function bid(uint256 intentId, uint256 who, uint256 amountIn, uint256 amountOut, uint256 lifetime) external {
        intentId = bound(intentId, 0, intentCount);
        vm.prank(solvers[who % solvers.length]);
        try BOOK.submitBid(
            intentId,
            bound(amountIn, 0, 120),
            bound(amountOut, 0, 200),
            0,
            block.timestamp + bound(lifetime, 0, 1 hours),
            0
        ) returns (
            uint256 bidId
        ) {
            bidCounts[intentId] = bidId;
        } catch {}
    }

    function select(uint256 intentId, uint256 who, uint256 bidId) external {
        intentId = bound(intentId, 0, intentCount);
        vm.prank(owners[who % owners.length]);
        try BOOK.selectBid(intentId, bound(bidId, 0, bidCounts[intentId] + 1)) {} catch {}
    }

    function cancel(uint256 intentId, uint256 who) external {
        intentId = bound(intentId, 0, intentCount);
        vm.prank(owners[who % owners.length]);
        try BOOK.cancelIntent(intentId) {
            cancelled[intentId] = true;
        } catch {}
    }

    /// @dev Fills with the amounts of some bid, the selected one or not, or with amounts of its own.
    function fill(uint256 intentId, uint256 who, uint256 bidId, uint256 off) external {
        intentId = bound(intentId, 0, intentCount);
        bidId = bound(bidId, 0, bidCounts[intentId]);
        IntentBook.SolverBid memory offer = BOOK.getBid(intentId, bidId);
        off = off % 4 == 0 ? 1 : 0;
        tryFill(intentId, solvers[who % solvers.length], offer.amountIn + off, off == 0 ? offer.amountOut : 0);
    }

    /// @dev Fills as the selected solver would.
    function fillAsSelected(uint256 intentId) external {
        intentId = bound(intentId, 0, intentCount);
        IntentBook.SolverBid memory offer = BOOK.getBid(intentId, BOOK.getSelectedBid(intentId));
        tryFill(intentId, offer.solver, offer.amountIn, offer.amountOut);
    }

    function wait(uint256 duration) external {
        vm.warp(block.timestamp + bound(duration, 1, 20 minutes));
    }

    function tryFill(uint256 intentId, address sender, uint256 amountIn, uint256 amountOut) private {
        uint256 selectedBid = BOOK.getSelectedBid(intentId);
        vm.prank(sender);
        try BOOK.fillIntent(intentId, IntentBook.Fill(amountIn, amountOut, sender, "", 0, 0, 0)) {
            uint256 count = notes[intentId].count + 1;
            notes[intentId] = FillNote(count, amountIn, amountOut, block.timestamp, sender, selectedBid);
            fillCount++;
        } catch {}
    }
}

contract IntentBookInvariantTest is Test {
    IntentBook private book;
    IntentBookUsers private users;

    function setUp() public override {
        super.setUp();
        book = new IntentBook(address(new AttestationRegistry()));
        users = new IntentBookUsers(book);
        users.submit(0, 100, 0, 1 hours);
        users.bid(1, 0, 50, 50, 1 hours);
        users.select(1, 0, 1);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(users);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[] memory selectors = new bytes4[](7);
        selectors[0] = IntentBookUsers.submit.selector;
        selectors[1] = IntentBookUsers.bid.selector;
        selectors[2] = IntentBookUsers.select.selector;
        selectors[3] = IntentBookUsers.cancel.selector;
        selectors[4] = IntentBookUsers.fill.selector;
        selectors[5] = IntentBookUsers.fillAsSelected.selector;
        selectors[6] = IntentBookUsers.wait.selector;
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(users), selectors);
    }

    /// @dev Else the invariants below could hold for want of fills.
    function test_usersDoFill() public {
        users.fillAsSelected(1);
        vm.assertEq(users.fillCount(), 1);
        invariant_everyFillKeptToTheIntentAndTheSelectedBid();
        users.fillAsSelected(1);
        vm.assertEq(users.fillCount(), 1);
    }

    function invariant_anIntentIsFilledAtMostOnceAndNeverWhenCancelled() public view {
        for (uint256 intentId = 1; intentId <= users.intentCount(); intentId++) {
            uint256 count = users.noteOf(intentId).count;
            bool filled = book.getIntentStatus(intentId) == IntentBook.IntentStatus.FILLED;
            bool cancelled = book.getIntentStatus(intentId) == IntentBook.IntentStatus.CANCELLED;
            vm.assertEq(count, filled ? 1 : 0);
            vm.assertEq(users.cancelled(intentId), cancelled);
        }
    }

    function invariant_everyFillKeptToTheIntentAndTheSelectedBid() public view {
        for (uint256 intentId = 1; intentId <= users.intentCount(); intentId++) {
            IntentBookUsers.FillNote memory note = users.noteOf(intentId);
            if (note.count == 0) continue;
            IntentBook.Constraints memory limits = book.getIntent(intentId).constraints;
            vm.assertLe(note.amountIn, limits.amountInMax);
            vm.assertGe(note.amountOut, limits.amountOutMin);
            vm.assertLt(note.timestamp, limits.deadline);

            IntentBook.SolverBid memory bid = book.getBid(intentId, note.selectedBid);
            vm.assertTrue(bid.exists && bid.selected);
            vm.assertEq(book.getSelectedBid(intentId), note.selectedBid);
            vm.assertEq(note.amountIn, bid.amountIn);
            vm.assertEq(note.amountOut, bid.amountOut);
            vm.assertEq(note.sender, bid.solver);
            vm.assertLe(note.timestamp, bid.validUntil);
        }
    }
}
