// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

/// @title SettlementAdapter
/// @notice Pays a quote in one transaction, split over several recipients. The caller is the payer.
/// @dev The adapter knows no quotes: an event proves that these lines were paid, for the quote hash that the payer named.
///      It keeps no state and no money between calls, so a recipient that calls it again changes nothing.
contract SettlementAdapter {
    using SafeERC20 for IERC20;

    /// @notice One payment. `kind` is what it is for, such as the merchant's share, tax or a fee.
    struct SettlementLine {
        uint8 kind;
        address recipient;
        address token;
        uint256 amount;
        bytes32 metadataHash;
    }

    /// @notice The payments of a quote. All lines are in `token` and add up to `grossAmount`.
    struct SettlementInstruction {
        bytes32 quoteHash;
        bytes32 settlementPlanHash;
        address payer;
        address token;
        uint256 grossAmount;
        uint256 deadline;
        SettlementLine[] lines;
    }

    /// @notice The token that stands for the native coin.
    address public constant NATIVE_TOKEN = address(0);

    /// @notice All lines were paid. The same instruction may be executed again until its deadline, with the same hash.
    event SettlementExecuted(
        bytes32 indexed quoteHash,
        bytes32 indexed settlementPlanHash,
        address indexed payer,
        address token,
        uint256 grossAmount,
        bytes32 executionHash
    );

    /// @notice The quote hash is zero.
    error EmptyQuoteHash();
    /// @notice The hash of the settlement plan is zero.
    error EmptySettlementPlanHash();
    /// @notice The deadline has passed.
    error DeadlineExpired();
    /// @notice The payer is not the sender.
    error PayerMismatch();
    /// @notice There are no lines.
    error NoSettlementLines();
    /// @notice The recipient of a line is the zero address.
    error InvalidRecipient();
    /// @notice A line is in another token than the instruction.
    error InvalidLineToken();
    /// @notice The amount of a line is zero.
    error InvalidLineAmount();
    /// @notice The value sent is not the gross amount in the native coin.
    error InvalidNativeValue();
    /// @notice Value was sent with a settlement in an ERC-20 token.
    error InvalidERC20Value();
    /// @notice The lines don't add up to the gross amount.
    error LineTotalMismatch();
    /// @notice A recipient did not accept the native coin.
    error NativeTransferFailed();

    /// @notice Pays every line of the instruction, from the sender. An ERC-20 token needs an allowance for this contract.
    function executeSettlement(SettlementInstruction calldata instruction)
        external
        payable
        returns (bytes32 executionHash)
    {
        if (instruction.quoteHash == bytes32(0)) revert EmptyQuoteHash();
        if (instruction.settlementPlanHash == bytes32(0)) revert EmptySettlementPlanHash();
        if (block.timestamp > instruction.deadline) revert DeadlineExpired();
        if (instruction.payer != msg.sender) revert PayerMismatch();
        if (instruction.lines.length == 0) revert NoSettlementLines();
        bool isNative = instruction.token == NATIVE_TOKEN;
        if (isNative && msg.value != instruction.grossAmount) revert InvalidNativeValue();
        if (!isNative && msg.value != 0) revert InvalidERC20Value();

        bytes32 linesHash = _checkLines(instruction);
        for (uint256 i = 0; i < instruction.lines.length; i++) {
            _pay(instruction.lines[i], isNative);
        }
        executionHash = keccak256(
            abi.encode(
                block.chainid,
                address(this),
                instruction.quoteHash,
                instruction.settlementPlanHash,
                instruction.payer,
                instruction.token,
                instruction.grossAmount,
                instruction.deadline,
                linesHash
            )
        );
        emit SettlementExecuted(
            instruction.quoteHash,
            instruction.settlementPlanHash,
            instruction.payer,
            instruction.token,
            instruction.grossAmount,
            executionHash
        );
    }

    /// @dev Checks the lines, and hashes the concatenation of their hashes.
    function _checkLines(SettlementInstruction calldata instruction) private pure returns (bytes32) {
        uint256 count = instruction.lines.length;
        bytes32[] memory hashes = new bytes32[](count);
        uint256 sum = 0;
        for (uint256 i = 0; i < count; i++) {
            SettlementLine calldata line = instruction.lines[i];
            if (line.recipient == address(0)) revert InvalidRecipient();
            if (line.token != instruction.token) revert InvalidLineToken();
            if (line.amount == 0) revert InvalidLineAmount();
            sum += line.amount;
            hashes[i] = keccak256(abi.encode(line.kind, line.recipient, line.token, line.amount, line.metadataHash));
        }
        if (sum != instruction.grossAmount) revert LineTotalMismatch();
        return keccak256(abi.encodePacked(hashes));
    }

    function _pay(SettlementLine calldata line, bool isNative) private {
        if (isNative) {
            (bool success,) = line.recipient.call{value: line.amount}("");
            if (!success) revert NativeTransferFailed();
        } else {
            IERC20(line.token).safeTransferFrom(msg.sender, line.recipient, line.amount);
        }
    }
}
