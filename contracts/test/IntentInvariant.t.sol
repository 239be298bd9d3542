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
        intent.constraints.amountInMax = bound(amountInMax, 50, 100);
        intent.constraints.amountOutMin = bound(amountOutMin, 0, 50);
        intent.constraints.deadline = block.timestamp + bound(lifetime, 1, 1 days);
        intent.nonce = intentCount;
        bytes32 domain = domainSeparator("AgentIntentBook", block.chainid, address(BOOK));
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(ownerKeys[who % owners.length], typedDataHash(domain, IntentHash.structHash(intent)));
        intentCount = BOOK.submitIntent(intent, v, r, s);
    }

    function bid(uint256 intentId, uint256 who, uint256 amountIn, uint256 amountOut, uint256 lifetime) external {
        intentId = pick(intentId);
        uint256 validUntil = lifetime % 2 == 0
            ? BOOK.getIntent(intentId).constraints.deadline
            : block.timestamp + bound(lifetime, 0, 1 days);
        vm.prank(solvers[who % solvers.length]);
        try BOOK.submitBid(intentId, bound(amountIn, 0, 120), bound(amountOut, 0, 200), 0, validUntil, 0) returns (
            uint256 bidId
        ) {
            bidCounts[intentId] = bidId;
        } catch {}
    }

    function select(uint256 intentId, uint256 who, uint256 bidId) external {
        intentId = pick(intentId);
        vm.prank(who % 4 == 0 ? owners[0] : BOOK.getIntent(intentId).owner);
        try BOOK.selectBid(intentId, bidId % (bidCounts[intentId] + 2)) {} catch {}
    }

    function cancel(uint256 intentId, uint256 who) external {
        intentId = pick(intentId);
        vm.prank(owners[who % owners.length]);
        try BOOK.cancelIntent(intentId) {
            cancelled[intentId] = true;
        } catch {}
    }

    /// @dev Fills in the name and with the amounts of some bid, selected or not, its own or another's, or with amounts
    ///      that nobody bid.
    function fill(uint256 intentId, uint256 who, uint256 bidId, uint256 off) external {
        intentId = pick(intentId);
        bidId = bidId % (bidCounts[intentId] + 1);
        IntentBook.SolverBid memory offer = BOOK.getBid(intentId, bidId);
        if (off % 4 == 0) (offer.amountIn, offer.amountOut) = (offer.amountIn + 1, 0);
        tryFill(intentId, solvers[who % solvers.length], offer);
    }

    /// @dev Fills as the selected solver would, after somebody else tried, and it tried with other amounts.
    function fillAsSelected(uint256 intentId, uint256 who) external {
        intentId = pick(intentId);
        IntentBook.SolverBid memory offer = selectedOffer(intentId);
        tryFill(intentId, solvers[who % solvers.length], offer);
        offer.amountIn += 1;
        tryFill(intentId, offer.solver, offer);
        tryFill(intentId, offer.solver, selectedOffer(intentId));
    }

    /// @dev Fills as the selected solver would, in the very second of the deadline, or just after the bid.
    function fillTooLate(uint256 intentId, bool afterTheBid) external {
        intentId = pick(intentId);
        IntentBook.SolverBid memory offer = selectedOffer(intentId);
        uint256 end = afterTheBid ? offer.validUntil + 1 : BOOK.getIntent(intentId).constraints.deadline;
        if (block.timestamp < end) vm.warp(end);
        tryFill(intentId, offer.solver, offer);
    }

    function selectedOffer(uint256 intentId) private view returns (IntentBook.SolverBid memory) {
        return BOOK.getBid(intentId, BOOK.getSelectedBid(intentId));
    }

    /// @dev One of the latest intents, so that the users meet on them, or none.
    function pick(uint256 seed) private view returns (uint256) {
        return intentCount - seed % (intentCount < 3 ? intentCount + 1 : 3);
    }

    function wait(uint256 duration) external {
        vm.warp(block.timestamp + bound(duration, 1, 20 minutes));
    }

    function tryFill(uint256 intentId, address sender, IntentBook.SolverBid memory offer) private {
        uint256 selectedBid = BOOK.getSelectedBid(intentId);
        vm.prank(sender);
        try BOOK.fillIntent(intentId, IntentBook.Fill(offer.amountIn, offer.amountOut, offer.solver, "", 0, 0, 0)) {
            uint256 count = notes[intentId].count + 1;
            notes[intentId] = FillNote(count, offer.amountIn, offer.amountOut, block.timestamp, sender, selectedBid);
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
        users.submit(0, 100, 0, 1 days);
        users.bid(0, 0, 50, 50, 1 days);
        users.select(0, 0, 1);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(users);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[] memory selectors = new bytes4[](8);
        selectors[0] = IntentBookUsers.submit.selector;
        selectors[1] = IntentBookUsers.bid.selector;
        selectors[2] = IntentBookUsers.select.selector;
        selectors[3] = IntentBookUsers.cancel.selector;
        selectors[4] = IntentBookUsers.fill.selector;
        selectors[5] = IntentBookUsers.fillAsSelected.selector;
        selectors[6] = IntentBookUsers.fillTooLate.selector;
        selectors[7] = IntentBookUsers.wait.selector;
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(users), selectors);
    }

    /// @dev Else the invariants below could hold for want of fills.
    function test_usersDoFill() public {
        users.fillAsSelected(0, 1);
        vm.assertEq(users.fillCount(), 1);
        invariant_everyFillKeptToTheIntentAndTheSelectedBid();
        users.fillAsSelected(0, 1);
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
