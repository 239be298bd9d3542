// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {TestFeed} from "../src/dev/TestFeed.sol";
import {TestToken} from "../src/dev/TestToken.sol";
import {Test} from "./Test.sol";

contract TestFeedTest is Test {
    TestFeed private feed;

    function setUp() public override {
        super.setUp();
        feed = new TestFeed(3000e8, START - 1 days);
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

    function test_keepsEveryRoundWithItsTimes(int256 second, int256 third, uint32 first, uint32 pause) public {
        vm.warp(START + first);
        feed.setAnswer(second);
        vm.warp(START + first + uint256(pause));
        feed.setAnswer(third);
        vm.warp(START + first + uint256(pause) + 7);
        expectRound(1, 3000e8, START - 1 days, START + first);
        expectRound(2, second, START + first, START + first + uint256(pause));
        expectRound(3, third, START + first + uint256(pause), START + first + uint256(pause) + 7);
    }

    function test_letsOnlyTheNewestRoundGrowOld() public {
        feed.setAnswer(1);
        feed.setAge(1 hours);
        expectRound(1, 3000e8, START - 1 days, START);
        expectRound(2, 1, START, START - 1 hours);
    }

    function test_hasNoOtherRounds(uint80 id) public {
        vm.assume(id != 1);
        vm.expectRevert(bytes("No data present"));
        feed.getRoundData(id);
    }

    function expectRound(uint80 id, int256 answer, uint256 startedAt, uint256 updatedAt) private view {
        (uint80 roundId, int256 answer_, uint256 startedAt_, uint256 updatedAt_, uint80 answeredInRound) =
            feed.getRoundData(id);
        vm.assertEq(uint256(roundId), id);
        vm.assertTrue(answer_ == answer);
        vm.assertEq(startedAt_, startedAt);
        vm.assertEq(updatedAt_, updatedAt);
        vm.assertEq(uint256(answeredInRound), id);
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
