// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {PolicyModule} from "../src/PolicyModule.sol";
import {Test} from "./Test.sol";

/// @notice Payments that an account signs off chain: what it allows, and the books it keeps.
contract PolicyPaymentTest is Test {
    PolicyModule private module;
    address private account = actor("account");
    address private merchant = actor("merchant");
    address private token = actor("token");
    address private facilitator = actor("facilitator");
    uint256 private constant DAY = 86_400;

    function setUp() public override {
        super.setUp();
        module = new PolicyModule();
    }

    function allow(uint256 maxPerPayment, uint256 maxPerDay) private {
        vm.prank(account);
        module.setPaymentPolicy(merchant, token, facilitator, maxPerPayment, maxPerDay, true);
    }

    function check(uint256 amount) private {
        vm.prank(account);
        module.checkSignedPayment(merchant, token, facilitator, amount);
    }

    function pay(uint256 amount, bytes32 paymentHash) private {
        vm.prank(account);
        module.recordSignedPayment(merchant, token, facilitator, amount, paymentHash);
    }

    function policy() private view returns (PolicyModule.PaymentPolicy memory) {
        return module.getPaymentPolicy(account, merchant, token, facilitator);
    }

    function exceeded(uint256 attempted, uint256 remaining) private view returns (bytes memory) {
        return abi.encodeWithSelector(PolicyModule.PaymentAmountExceeded.selector, token, attempted, remaining);
    }

    function notAllowed() private view returns (bytes memory) {
        return abi.encodeWithSelector(PolicyModule.PaymentNotAllowed.selector, merchant, token, facilitator);
    }

    function testFuzz_setsPolicies(uint256 maxPerPayment, uint256 maxPerDay, bool allowed) public {
        vm.expectEmit(address(module));
        emit PolicyModule.PaymentPolicySet(account, merchant, token, facilitator, maxPerPayment, maxPerDay, allowed);
        vm.prank(account);
        module.setPaymentPolicy(merchant, token, facilitator, maxPerPayment, maxPerDay, allowed);
        vm.assertEq(policy().maxPerPayment, maxPerPayment);
        vm.assertEq(policy().maxPerDay, maxPerDay);
        vm.assertEq(policy().allowed, allowed);
    }

    function testFuzz_deniesWhatIsNotAllowed(uint256 amount) public {
        vm.expectRevert(notAllowed());
        check(amount);
        vm.expectRevert(notAllowed());
        pay(amount, 0);
        vm.prank(account);
        module.setPaymentPolicy(merchant, token, facilitator, 0, 0, false);
        vm.expectRevert(notAllowed());
        check(amount);
    }

    function testFuzz_allowsOnePairingOfMerchantTokenAndFacilitatorOnly(address other) public {
        vm.assume(other != merchant && other != token && other != facilitator);
        allow(0, 0);
        vm.startPrank(account);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.PaymentNotAllowed.selector, other, token, facilitator));
        module.checkSignedPayment(other, token, facilitator, 1);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.PaymentNotAllowed.selector, merchant, other, facilitator));
        module.checkSignedPayment(merchant, other, facilitator, 1);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.PaymentNotAllowed.selector, merchant, token, other));
        module.checkSignedPayment(merchant, token, other, 1);
    }

    function testFuzz_limitsOnePayment(uint256 maxPerPayment, uint256 amount) public {
        maxPerPayment = bound(maxPerPayment, 1, type(uint256).max);
        allow(maxPerPayment, 0);
        if (amount > maxPerPayment) vm.expectRevert(exceeded(amount, maxPerPayment));
        check(amount);
        if (amount > maxPerPayment) vm.expectRevert(exceeded(amount, maxPerPayment));
        pay(amount, 0);
    }

    function testFuzz_limitsTheDay(uint256 maxPerDay, uint256 spent, uint256 amount) public {
        maxPerDay = bound(maxPerDay, 1, type(uint256).max);
        spent = bound(spent, 0, maxPerDay);
        amount = bound(amount, 0, type(uint256).max - spent);
        allow(0, maxPerDay);
        pay(spent, bytes32("first"));
        if (spent + amount > maxPerDay) vm.expectRevert(exceeded(amount, maxPerDay - spent));
        check(amount);
        if (spent + amount > maxPerDay) vm.expectRevert(exceeded(amount, maxPerDay - spent));
        pay(amount, bytes32("second"));
    }

    function test_deniesASumThatOverflowsAndALimitBelowWhatWasPaid() public {
        allow(0, type(uint256).max);
        pay(5, bytes32("first"));
        vm.expectRevert(panic());
        check(type(uint256).max);
        allow(0, 4);
        vm.expectRevert(panic());
        check(0);
    }

    function testFuzz_booksPaymentsWithinADay(uint256 first, uint256 second, uint256 later) public {
        first = bound(first, 0, type(uint256).max / 2);
        second = bound(second, 0, type(uint256).max / 2);
        allow(0, type(uint256).max);
        vm.expectEmit(address(module));
        emit PolicyModule.SignedPaymentRecorded(account, merchant, token, facilitator, first, bytes32("first"), first);
        pay(first, bytes32("first"));
        vm.warp(START + bound(later, 0, DAY - 1));
        vm.expectEmit(address(module));
        emit PolicyModule.SignedPaymentRecorded(
            account, merchant, token, facilitator, second, bytes32("second"), first + second
        );
        pay(second, bytes32("second"));
        vm.assertEq(policy().spentToday, first + second);
        vm.assertEq(policy().lastResetTimestamp, START);
    }

    function testFuzz_beginsANewDayWhenTheOldOneIsOver(uint256 later) public {
        allow(0, 10);
        pay(10, bytes32("first"));
        vm.warp(START + DAY - 1);
        vm.expectRevert(exceeded(1, 0));
        check(1);
        uint256 next = START + bound(later, DAY, 1_000 * DAY);
        vm.warp(next);
        check(10);
        vm.expectEmit(address(module));
        emit PolicyModule.SignedPaymentRecorded(account, merchant, token, facilitator, 8, bytes32("second"), 8);
        pay(8, bytes32("second"));
        vm.assertEq(policy().spentToday, 8);
        vm.assertEq(policy().lastResetTimestamp, next);
    }

    function test_keepsTheDaysTotalWithoutADailyLimit() public {
        allow(0, 0);
        pay(6, bytes32("first"));
        pay(7, bytes32("second"));
        vm.assertEq(policy().spentToday, 13);
        allow(0, 15);
        vm.assertEq(policy().spentToday, 13);
        vm.assertEq(policy().lastResetTimestamp, START);
        vm.expectRevert(exceeded(3, 2));
        check(3);
    }

    function testFuzz_booksAPaymentOnce(bytes32 paymentHash, uint256 later) public {
        allow(0, 10);
        pay(10, paymentHash);
        vm.warp(START + bound(later, 0, 1_000 * DAY));
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.PaymentAlreadyRecorded.selector, paymentHash));
        pay(10, paymentHash);
    }

    function test_twoAccountsMayBookTheSameHash() public {
        allow(0, 0);
        pay(1, bytes32("same"));
        vm.startPrank(actor("other account"));
        module.setPaymentPolicy(merchant, token, facilitator, 0, 0, true);
        module.recordSignedPayment(merchant, token, facilitator, 1, bytes32("same"));
    }

    function test_aFrozenAccountPaysNothing() public {
        allow(0, 0);
        vm.prank(account);
        module.setAccountFrozen(account, true);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.AccountFrozenError.selector, account));
        check(1);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.AccountFrozenError.selector, account));
        pay(1, 0);
    }

    function test_signedPaymentsLeaveTheSpendLimitsAlone() public {
        vm.prank(account);
        module.setSpendLimit(token, 1);
        allow(0, 0);
        pay(100, 0);
        vm.assertEq(module.getSpentToday(account, token), 0);
    }
}
