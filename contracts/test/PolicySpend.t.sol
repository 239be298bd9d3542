// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PolicyModule} from "../src/PolicyModule.sol";
import {Test} from "./Test.sol";

/// @notice The daily limits: what is checked, what is booked, and when the day is over.
contract PolicySpendTest is Test {
    PolicyModule private module;
    address private account = actor("account");
    address private token = actor("token");
    uint256 private constant DAY = 86_400;

    function setUp() public override {
        super.setUp();
        module = new PolicyModule();
        vm.prank(account);
        module.setTargetAllowed(token, true);
    }

    function limit(address limited, uint256 maxPerDay) private {
        vm.prank(account);
        module.setSpendLimit(limited, maxPerDay);
    }

    function spend(uint256 amount) private {
        vm.prank(account);
        module.recordSpend(token, amount);
    }

    function check(uint256 amount) private {
        vm.prank(account);
        module.checkTransaction(token, 0, abi.encodeCall(IERC20.transfer, (account, amount)));
    }

    function exceeded(address limited, uint256 attempted, uint256 remaining) private pure returns (bytes memory) {
        return abi.encodeWithSelector(PolicyModule.DailySpendLimitExceeded.selector, limited, attempted, remaining);
    }

    function assertBooked(uint256 spentToday, uint256 lastReset) private view {
        PolicyModule.SpendLimit memory booked = module.getSpendLimit(account, token);
        vm.assertEq(booked.spentToday, spentToday);
        vm.assertEq(booked.lastResetTimestamp, lastReset);
    }

    function testFuzz_setsLimits(address sender, address limited, uint256 maxPerDay) public {
        vm.expectEmit(address(module));
        emit PolicyModule.SpendLimitSet(sender, limited, maxPerDay);
        vm.prank(sender);
        module.setSpendLimit(limited, maxPerDay);
        vm.assertEq(module.getSpendLimit(sender, limited).maxPerDay, maxPerDay);
    }

    function testFuzz_allowsUpToTheLimitAndNoFurther(uint256 maxPerDay, uint256 spent, uint256 amount) public {
        maxPerDay = bound(maxPerDay, 1, type(uint256).max - 1);
        spent = bound(spent, 0, maxPerDay);
        amount = bound(amount, 1, type(uint256).max - spent);
        limit(token, maxPerDay);
        spend(spent);
        if (spent + amount > maxPerDay) vm.expectRevert(exceeded(token, amount, maxPerDay - spent));
        check(amount);
    }

    function testFuzz_limitsTheValueOfACallAsTheNativeCoin(uint256 maxPerDay, uint256 value) public {
        maxPerDay = bound(maxPerDay, 1, type(uint256).max);
        value = bound(value, 1, type(uint256).max);
        limit(address(0), maxPerDay);
        if (value > maxPerDay) vm.expectRevert(exceeded(address(0), value, maxPerDay));
        vm.prank(account);
        module.checkTransaction(token, value, "");
    }

    function test_checksValueBeforeToken() public {
        limit(address(0), 1);
        limit(token, 1);
        vm.startPrank(account);
        bytes memory data = abi.encodeCall(IERC20.transfer, (account, 2));
        vm.expectRevert(exceeded(address(0), 3, 1));
        module.checkTransaction(token, 3, data);
        vm.expectRevert(exceeded(token, 2, 1));
        module.checkTransaction(token, 1, data);
    }

    function test_asksNothingOfACallThatSpendsNothing() public {
        limit(token, 5);
        spend(5);
        limit(token, 1);
        check(0);
    }

    function testFuzz_deniesAllOnceTheLimitIsLoweredBelowWhatWasSpent(uint256 spent, uint256 maxPerDay, uint256 amount)
        public
    {
        spent = bound(spent, 2, type(uint256).max);
        maxPerDay = bound(maxPerDay, 1, spent - 1);
        limit(token, spent);
        spend(spent);
        limit(token, maxPerDay);
        vm.expectRevert(panic());
        check(bound(amount, 1, type(uint256).max));
    }

    function testFuzz_deniesASumThatOverflows(uint256 spent, uint256 amount) public {
        spent = bound(spent, 1, type(uint256).max);
        amount = bound(amount, type(uint256).max - spent + 1, type(uint256).max);
        limit(token, type(uint256).max);
        spend(spent);
        vm.expectRevert(panic());
        check(amount);
    }

    function testFuzz_allowsAllWithoutALimit(uint256 amount) public {
        check(amount);
        limit(token, 1);
        limit(token, 0);
        check(amount);
    }

    function testFuzz_booksNothingWithoutALimit(uint256 amount) public {
        vm.recordLogs();
        spend(amount);
        vm.assertEq(vm.getRecordedLogs().length, 0);
        assertBooked(0, 0);
    }

    function testFuzz_booksSpendsWithinADay(uint256 first, uint256 second, uint256 later) public {
        first = bound(first, 0, type(uint256).max / 2);
        second = bound(second, 0, type(uint256).max / 2);
        limit(token, 1);
        vm.expectEmit(address(module));
        emit PolicyModule.SpendRecorded(account, token, first, first);
        spend(first);
        vm.warp(START + bound(later, 0, DAY - 1));
        vm.expectEmit(address(module));
        emit PolicyModule.SpendRecorded(account, token, second, first + second);
        spend(second);
        assertBooked(first + second, START);
        vm.assertEq(module.getSpentToday(account, token), first + second);
    }

    function testFuzz_beginsANewDayWhenTheOldOneIsOver(uint256 first, uint256 second, uint256 later) public {
        limit(token, 1);
        spend(first);
        uint256 next = START + bound(later, DAY, 1_000 * DAY);
        vm.warp(next);
        vm.assertEq(module.getSpentToday(account, token), 0);
        assertBooked(first, START);
        check(1);
        vm.expectEmit(address(module));
        emit PolicyModule.SpendRecorded(account, token, second, second);
        spend(second);
        assertBooked(second, next);
    }

    function test_theDayEndsAtTheLastSecond() public {
        limit(token, 10);
        spend(10);
        vm.warp(START + DAY - 1);
        vm.expectRevert(exceeded(token, 1, 0));
        check(1);
        vm.warp(START + DAY);
        check(10);
    }

    function testFuzz_settingALimitKeepsTheDay(uint256 spent, uint256 maxPerDay) public {
        limit(token, 1);
        spend(spent);
        vm.warp(START + 100);
        limit(token, maxPerDay);
        assertBooked(spent, START);
        vm.assertEq(module.getSpendLimit(account, token).maxPerDay, maxPerDay);
    }

    function test_booksASpendPastTheLimitToo() public {
        limit(token, 10);
        spend(25);
        assertBooked(25, START);
    }

    function test_refusesToBookASumThatOverflows() public {
        limit(token, 1);
        spend(type(uint256).max);
        vm.expectRevert(panic());
        spend(1);
    }

    function testFuzz_keepsTheBooksOfAccountsAndTokensApart(address otherAccount, address otherToken) public {
        vm.assume(otherAccount != account || otherToken != token);
        limit(token, 10);
        spend(7);
        vm.assertEq(module.getSpentToday(otherAccount, otherToken), 0);
        vm.assertEq(module.getSpendLimit(otherAccount, otherToken).maxPerDay, 0);
    }
}
