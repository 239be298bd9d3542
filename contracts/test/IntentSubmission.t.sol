// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IntentBook} from "../src/IntentBook.sol";
import {IntentHash, IntentTest} from "./IntentTest.sol";

contract IntentSubmissionTest is IntentTest {
    function test_entersASignedIntentWithIdsFromOne() public {
        vm.expectEmit(address(book));
        emit IntentBook.IntentSubmitted(1, owner, 7);
        vm.assertEq(submitExample(), 1);
        assertStatus(1, IntentBook.IntentStatus.OPEN);
        vm.assertEq(book.getSelectedBid(1), 0);

        IntentBook.Intent memory next = exampleIntent();
        next.nonce = 0;
        vm.assertEq(submit(next), 2);
    }

    /// forge-config: default.fuzz.runs = 64
    function testFuzz_keepsEveryMemberThatWasSigned(
        IntentBook.Constraints memory constraints,
        IntentBook.ExecutionRequirements memory execution,
        address from,
        address to,
        uint256 nonce
    ) public {
        constraints.deadline = bound(constraints.deadline, START + 1, type(uint256).max);
        constraints.slippageBps = uint16(bound(constraints.slippageBps, 0, 10_000));
        IntentBook.Intent memory intent = IntentBook.Intent({
            owner: owner,
            intentType: IntentBook.IntentType.SWAP_EXACT_IN_MAX_SLIPPAGE,
            constraints: constraints,
            execution: execution,
            inputToken: from,
            outputToken: to,
            nonce: nonce
        });
        vm.expectEmit(address(book));
        emit IntentBook.IntentSubmitted(1, owner, nonce);
        submit(intent);
        vm.assertEq(abi.encode(book.getIntent(1)), abi.encode(intent));
    }

    /// @dev The expected hash was computed by viem's hashStruct: the two implementations agree.
    function test_hashesAnIntentAsClientsDo() public pure {
        IntentBook.Intent memory intent = IntentBook.Intent({
            owner: address(1),
            intentType: IntentBook.IntentType.SWAP_EXACT_IN_MAX_SLIPPAGE,
            constraints: IntentBook.Constraints(2, 3, 4, 5),
            execution: IntentBook.ExecutionRequirements(
                address(6), bytes32(uint256(7)), bytes32(uint256(8)), bytes32(uint256(9)), bytes32(uint256(10))
            ),
            inputToken: address(11),
            outputToken: address(12),
            nonce: 13
        });
        vm.assertEq(IntentHash.structHash(intent), 0xba92da9c35ef7273dc4fd058743a0d07830dd4e34dfd2647344fcb3732aa51d5);
    }

    /// forge-config: default.fuzz.runs = 64
    function testFuzz_refusesADeadlineThatIsNotInTheFuture(uint256 deadline) public {
        IntentBook.Intent memory intent = exampleIntent();
        intent.constraints.deadline = bound(deadline, 0, START);
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        vm.expectRevert(IntentBook.InvalidDeadline.selector);
        book.submitIntent(intent, v, r, s);
    }

    /// forge-config: default.fuzz.runs = 64
    function testFuzz_refusesSlippageOverTheWhole(uint16 slippageBps) public {
        IntentBook.Intent memory intent = exampleIntent();
        intent.constraints.slippageBps = uint16(bound(slippageBps, 10_001, type(uint16).max));
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        vm.expectRevert(IntentBook.InvalidSlippage.selector);
        book.submitIntent(intent, v, r, s);
    }

    /// forge-config: default.fuzz.runs = 64
    function testFuzz_refusesANonceTwice(uint256 nonce) public {
        IntentBook.Intent memory intent = exampleIntent();
        intent.nonce = nonce;
        submit(intent);
        intent.constraints.amountInMax += 1;
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        vm.expectRevert(IntentBook.InvalidNonce.selector);
        book.submitIntent(intent, v, r, s);
    }

    function test_countsNoncesApartForEachOwner() public {
        submitExample();
        IntentBook.Intent memory intent = exampleIntent();
        intent.owner = rival;
        (uint8 v, bytes32 r, bytes32 s) = sign("rival", intent);
        vm.assertEq(book.submitIntent(intent, v, r, s), 2);
    }

    function test_refusesATypeOfIntentThatIsNotThere() public {
        IntentBook.Intent memory intent = exampleIntent();
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        bytes memory call = abi.encodeCall(IntentBook.submitIntent, (intent, v, r, s));
        // The intent's second word is its type; the tuple is static and follows the selector.
        call[4 + 63] = 0x01;
        (bool success,) = address(book).call(call);
        vm.assertFalse(success);
    }

    function test_ownerCancelsAnOpenIntent() public {
        submitExample();
        vm.expectEmit(address(book));
        emit IntentBook.IntentCancelled(1);
        vm.prank(owner);
        book.cancelIntent(1);
        assertStatus(1, IntentBook.IntentStatus.CANCELLED);
    }

    function test_intentPastItsDeadlineStaysOpenAndCanBeCancelled() public {
        submitExample();
        vm.warp(DEADLINE + 1 days);
        assertStatus(1, IntentBook.IntentStatus.OPEN);
        vm.prank(owner);
        book.cancelIntent(1);
        assertStatus(1, IntentBook.IntentStatus.CANCELLED);
    }

    function test_refusesToCancelTwice() public {
        submitExample();
        vm.startPrank(owner);
        book.cancelIntent(1);
        vm.expectRevert(IntentBook.IntentNotOpen.selector);
        book.cancelIntent(1);
    }

    function test_refusesToCancelAFilledIntent() public {
        submitAndSelect(exampleIntent());
        vm.prank(solver);
        book.fillIntent(1, exampleFill());
        vm.expectRevert(IntentBook.IntentNotOpen.selector);
        vm.prank(owner);
        book.cancelIntent(1);
    }

    /// forge-config: default.fuzz.runs = 64
    function testFuzz_onlyTheOwnerCancels(address sender, uint256 intentId) public {
        vm.assume(sender != owner && sender != address(0));
        submitExample();
        vm.startPrank(sender);
        vm.expectRevert(IntentBook.Unauthorized.selector);
        book.cancelIntent(1);
        vm.assume(intentId != 1);
        vm.expectRevert(IntentBook.Unauthorized.selector);
        book.cancelIntent(intentId);
    }

    function test_readsAnIntentThatIsNotThereAsZero() public view {
        vm.assertEq(book.getIntent(1).owner, address(0));
        assertStatus(1, IntentBook.IntentStatus.OPEN);
        vm.assertFalse(book.getBid(1, 1).exists);
    }
}
