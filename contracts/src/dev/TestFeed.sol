// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title TestFeed
/// @notice A price feed for development and tests, shaped like Chainlink's: anyone can set what it answers.
/// @dev It answers as if it had just been updated, or a set time ago, whatever the time is; so a chain that is left
///      alone for days, or moved forward by days, keeps its prices.
contract TestFeed {
    /// @notice How many of the answer's digits are a fraction.
    uint8 public constant decimals = 8;

    /// @notice What it answers.
    int256 public answer;
    /// @notice How many seconds before the present it pretends to have been updated.
    uint256 public age;
    /// @notice The round of the answer: the number of times it was set.
    uint80 public round;

    constructor(int256 firstAnswer) {
        setAnswer(firstAnswer);
    }

    /// @notice Sets what it answers, and begins a round.
    function setAnswer(int256 newAnswer) public {
        answer = newAnswer;
        round++;
    }

    /// @notice Sets how many seconds before the present it pretends to have been updated.
    function setAge(uint256 newAge) external {
        age = newAge;
    }

    /// @notice The answer in the words of Chainlink's AggregatorV3Interface.
    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer_, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        uint256 time = block.timestamp - age;
        return (round, answer, time, time, round);
    }
}
