// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title TestFeed
/// @notice A price feed for development and tests, shaped like Chainlink's: anyone can set what it answers.
/// @dev It answers as if it had just been updated, or a set time ago, whatever the time is; so a chain that is left
///      alone for days, or moved forward by days, keeps its prices.
contract TestFeed {
    /// @notice An earlier answer of the feed, or its present one.
    struct Round {
        int256 answer;
        uint256 startedAt;
    }

    /// @notice How many of the answer's digits are a fraction.
    uint8 public constant decimals = 8;

    /// @notice What it answers.
    int256 public answer;
    /// @notice How many seconds before the present it pretends to have been updated.
    uint256 public age;
    /// @notice The round of the answer: the number of times it was set.
    uint80 public round;

    mapping(uint80 roundId => Round) private rounds;

    /// @param firstAnswer What it answers until another answer is set.
    /// @param since When the first round began, in unix seconds: what was done before the feed existed has a price too.
    constructor(int256 firstAnswer, uint256 since) {
        begin(firstAnswer, since);
    }

    /// @notice Sets what it answers, and begins a round.
    function setAnswer(int256 newAnswer) external {
        begin(newAnswer, block.timestamp);
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

    /// @notice A round in the words of Chainlink's AggregatorV3Interface.
    /// @dev A round is updated until the next one begins, so there is an answer for every second since the first round.
    function getRoundData(uint80 id)
        external
        view
        returns (uint80 roundId, int256 answer_, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        require(id > 0 && id <= round, "No data present");
        Round memory found = rounds[id];
        uint256 end = id == round ? block.timestamp - age : rounds[id + 1].startedAt;
        return (id, found.answer, found.startedAt, end, id);
    }

    function begin(int256 newAnswer, uint256 startedAt) private {
        answer = newAnswer;
        round++;
        rounds[round] = Round(newAnswer, startedAt);
    }
}
