// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {SettlementAdapter} from "../src/SettlementAdapter.sol";
import {TestToken} from "../src/dev/TestToken.sol";
import {Test} from "./Test.sol";

/// @notice A recipient that does not accept the native coin.
contract Coinless {}

contract SettlementAdapterTest is Test {
    SettlementAdapter private adapter;
    TestToken private token;
    address private payer = actor("payer");
    address private merchant = actor("merchant");
    address private platform = actor("platform");
    uint256 private constant DEADLINE = START + 10 minutes;

    function setUp() public override {
        super.setUp();
        adapter = new SettlementAdapter();
        token = new TestToken("Test", "T");
        token.mint(payer, type(uint128).max);
        vm.prank(payer);
        token.approve(address(adapter), type(uint256).max);
        vm.deal(payer, 100 ether);
    }

    /// @dev 90 for the merchant and 10 for the platform.
    function example(address paidIn) private view returns (SettlementAdapter.SettlementInstruction memory instruction) {
        instruction.quoteHash = bytes32("quote");
        instruction.settlementPlanHash = bytes32("plan");
        instruction.payer = payer;
        instruction.token = paidIn;
        instruction.grossAmount = 100;
        instruction.deadline = DEADLINE;
        instruction.lines = new SettlementAdapter.SettlementLine[](2);
        instruction.lines[0] = SettlementAdapter.SettlementLine(0, merchant, paidIn, 90, bytes32("price"));
        instruction.lines[1] = SettlementAdapter.SettlementLine(6, platform, paidIn, 10, bytes32("fee"));
    }

    /// @dev The hash as the specification spells it.
    function specifiedHash(SettlementAdapter.SettlementInstruction memory instruction, uint256 chain)
        private
        view
        returns (bytes32)
    {
        bytes memory hashes = "";
        for (uint256 i = 0; i < instruction.lines.length; i++) {
            SettlementAdapter.SettlementLine memory line = instruction.lines[i];
            bytes32 hash =
                keccak256(abi.encode(line.kind, line.recipient, line.token, line.amount, line.metadataHash));
            hashes = abi.encodePacked(hashes, hash);
        }
        return keccak256(
            abi.encode(
                chain,
                address(adapter),
                instruction.quoteHash,
                instruction.settlementPlanHash,
                instruction.payer,
                instruction.token,
                instruction.grossAmount,
                instruction.deadline,
                keccak256(hashes)
            )
        );
    }

    function execute(SettlementAdapter.SettlementInstruction memory instruction, uint256 value)
        private
        returns (bytes32)
    {
        vm.prank(payer);
        return adapter.executeSettlement{value: value}(instruction);
    }

    function expectExecuted(SettlementAdapter.SettlementInstruction memory instruction, uint256 chain) private {
        bytes32 executionHash = specifiedHash(instruction, chain);
        vm.expectEmit(address(adapter));
        emit SettlementAdapter.SettlementExecuted(
            instruction.quoteHash,
            instruction.settlementPlanHash,
            payer,
            instruction.token,
            instruction.grossAmount,
            executionHash
        );
    }

    function refuse(bytes4 errorSelector, SettlementAdapter.SettlementInstruction memory instruction, uint256 value)
        private
    {
        vm.expectRevert(errorSelector);
        execute(instruction, value);
    }

    function test_nativeTokenIsTheZeroAddress() public view {
        vm.assertEq(adapter.NATIVE_TOKEN(), address(0));
    }

    function testFuzz_paysEveryLineInAToken(
        uint64 price,
        uint64 fee,
        uint8 kind,
        bytes32[3] calldata hashes,
        uint64 chain
    ) public {
        vm.assume(price > 0 && fee > 0 && chain > 0 && hashes[0] != 0 && hashes[1] != 0);
        SettlementAdapter.SettlementInstruction memory instruction = example(address(token));
        instruction.quoteHash = hashes[0];
        instruction.settlementPlanHash = hashes[1];
        instruction.grossAmount = uint256(price) + fee;
        instruction.lines[0].amount = price;
        instruction.lines[0].kind = kind;
        instruction.lines[0].metadataHash = hashes[2];
        instruction.lines[1].amount = fee;
        vm.chainId(chain);
        expectExecuted(instruction, chain);
        vm.assertEq(execute(instruction, 0), specifiedHash(instruction, chain));
        vm.assertEq(token.balanceOf(merchant), price);
        vm.assertEq(token.balanceOf(platform), fee);
        vm.assertEq(token.balanceOf(address(adapter)), 0);
    }

    function test_paysEveryLineInTheNativeCoin() public {
        SettlementAdapter.SettlementInstruction memory instruction = example(address(0));
        vm.chainId(84532);
        expectExecuted(instruction, 84532);
        vm.assertEq(execute(instruction, 100), specifiedHash(instruction, 84532));
        vm.assertEq(merchant.balance, 90);
        vm.assertEq(platform.balance, 10);
        vm.assertEq(address(adapter).balance, 0);
    }

    function test_paysTheSameInstructionAgainUntilItsDeadline() public {
        SettlementAdapter.SettlementInstruction memory instruction = example(address(token));
        bytes32 first = execute(instruction, 0);
        vm.warp(DEADLINE);
        vm.assertEq(execute(instruction, 0), first);
        vm.assertEq(token.balanceOf(merchant), 180);
        vm.warp(DEADLINE + 1);
        refuse(SettlementAdapter.DeadlineExpired.selector, instruction, 0);
    }

    function test_refusesEmptyHashes() public {
        SettlementAdapter.SettlementInstruction memory instruction = example(address(token));
        instruction.quoteHash = 0;
        refuse(SettlementAdapter.EmptyQuoteHash.selector, instruction, 0);
        instruction = example(address(token));
        instruction.settlementPlanHash = 0;
        refuse(SettlementAdapter.EmptySettlementPlanHash.selector, instruction, 0);
    }

    function testFuzz_onlyThePayerExecutes(address sender) public {
        vm.assume(sender != payer);
        vm.expectRevert(SettlementAdapter.PayerMismatch.selector);
        vm.prank(sender);
        adapter.executeSettlement(example(address(token)));
    }

    function test_refusesAnInstructionWithoutLines() public {
        SettlementAdapter.SettlementInstruction memory instruction = example(address(token));
        instruction.lines = new SettlementAdapter.SettlementLine[](0);
        instruction.grossAmount = 0;
        refuse(SettlementAdapter.NoSettlementLines.selector, instruction, 0);
    }

    function test_refusesALineWithoutRecipientOrAmountOrInAnotherToken() public {
        SettlementAdapter.SettlementInstruction memory instruction = example(address(token));
        instruction.lines[1].recipient = address(0);
        refuse(SettlementAdapter.InvalidRecipient.selector, instruction, 0);
        instruction = example(address(token));
        instruction.lines[1].token = address(0);
        refuse(SettlementAdapter.InvalidLineToken.selector, instruction, 0);
        instruction = example(address(token));
        instruction.lines[1].amount = 0;
        refuse(SettlementAdapter.InvalidLineAmount.selector, instruction, 0);
    }

    function testFuzz_refusesAnyOtherTotal(uint256 grossAmount) public {
        vm.assume(grossAmount != 100);
        SettlementAdapter.SettlementInstruction memory instruction = example(address(token));
        instruction.grossAmount = grossAmount;
        refuse(SettlementAdapter.LineTotalMismatch.selector, instruction, 0);
    }

    function test_refusesATotalThatOverflows() public {
        SettlementAdapter.SettlementInstruction memory instruction = example(address(token));
        instruction.lines[0].amount = type(uint256).max;
        vm.expectRevert(panic());
        execute(instruction, 0);
    }

    function testFuzz_takesExactlyTheGrossAmountInTheNativeCoin(uint256 value) public {
        value = bound(value, 0, 1 ether);
        vm.assume(value != 100);
        refuse(SettlementAdapter.InvalidNativeValue.selector, example(address(0)), value);
    }

    function test_takesNoNativeCoinWithAToken() public {
        refuse(SettlementAdapter.InvalidERC20Value.selector, example(address(token)), 1);
    }

    function test_paysNobodyIfARecipientTakesNoCoins() public {
        SettlementAdapter.SettlementInstruction memory instruction = example(address(0));
        instruction.lines[1].recipient = address(new Coinless());
        refuse(SettlementAdapter.NativeTransferFailed.selector, instruction, 100);
        vm.assertEq(merchant.balance, 0);
    }

    function test_paysNobodyWithoutAllowance() public {
        vm.prank(payer);
        token.approve(address(adapter), 95);
        vm.expectRevert(
            abi.encodeWithSelector(IERC20Errors.ERC20InsufficientAllowance.selector, address(adapter), 5, 10)
        );
        execute(example(address(token)), 0);
        vm.assertEq(token.balanceOf(merchant), 0);
    }
}
