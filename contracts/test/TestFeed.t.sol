// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {TestFeed} from "../src/dev/TestFeed.sol";
import {TestToken} from "../src/dev/TestToken.sol";
import {Test} from "./Test.sol";

contract TestFeedTest is Test {
    TestFeed private feed;

    function setUp() public override {
        super.setUp();
        feed = new TestFeed(3000e8);
    }

    function test_answersWithEightFractionDigitsAsOfNow() public view {
        (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound) =
            feed.latestRoundData();
        vm.assertEq(feed.decimals(), 8);
        vm.assertEq(uint256(roundId), 1);
        vm.assertEq(uint256(answer), 3000e8);
        vm.assertEq(startedAt, START);
        vm.assertEq(updatedAt, START);
        vm.assertEq(uint256(answeredInRound), 1);
    }

    function test_neverGrowsOldByItself() public {
        vm.warp(START + 30 days);
        (,,, uint256 updatedAt,) = feed.latestRoundData();
        vm.assertEq(updatedAt, START + 30 days);
    }

    function test_beginsARoundWithEveryAnswer(int256 next) public {
        feed.setAnswer(next);
        (uint80 roundId, int256 answer,,, uint80 answeredInRound) = feed.latestRoundData();
        vm.assertEq(uint256(roundId), 2);
        vm.assertTrue(answer == next);
        vm.assertEq(uint256(answeredInRound), 2);
    }

    function test_pretendsToBeAsOldAsItIsTold() public {
        feed.setAge(1 days);
        vm.warp(START + 10);
        (,, uint256 startedAt, uint256 updatedAt,) = feed.latestRoundData();
        vm.assertEq(startedAt, START + 10 - 1 days);
        vm.assertEq(updatedAt, START + 10 - 1 days);
    }
}

contract TestTokenTest is Test {
    function test_letsAnyoneMint() public {
        TestToken token = new TestToken("Test Points", "tPTS");
        vm.prank(address(0xbeef));
        token.mint(address(0xcafe), 5);
        vm.assertEq(token.balanceOf(address(0xcafe)), 5);
        vm.assertEq(token.name(), "Test Points");
        vm.assertEq(token.symbol(), "tPTS");
        vm.assertEq(uint256(token.decimals()), 18);
    }
}
