// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @title PolicyModule
/// @notice What an account lets itself do: targets, functions, daily spending, signed payments, and a freeze that a
///         guardian can pull. The account is always the sender.
/// @dev The module keeps the rules and the books; it holds and moves nothing. An account that wants to be bound by it
///      calls `checkTransaction` and `recordSpend` in front of every execution.
contract PolicyModule {
    /// @notice A daily limit on one token and what was spent since the window began. A limit of 0 is no limit.
    struct SpendLimit {
        uint256 maxPerDay;
        uint256 spentToday;
        uint48 lastResetTimestamp;
    }

    /// @notice Whether and how much may be paid to one merchant, in one token, through one facilitator.
    ///         A maximum of 0 is no limit of its kind.
    struct PaymentPolicy {
        uint256 maxPerPayment;
        uint256 maxPerDay;
        uint256 spentToday;
        uint48 lastResetTimestamp;
        bool allowed;
    }

    /// @notice The account set its daily limit on a token; 0 lifts it.
    event SpendLimitSet(address indexed account, address indexed token, uint256 maxPerDay);
    /// @notice The account put a target on its allowlist or took it off.
    event TargetAllowlistUpdated(address indexed account, address indexed target, bool allowed);
    /// @notice The account put a function of a target on its allowlist or took it off.
    event FunctionAllowlistUpdated(address indexed account, address indexed target, bytes4 selector, bool allowed);
    /// @notice The account turned its function allowlist on or off.
    event FunctionAllowlistModeUpdated(address indexed account, bool enabled);
    /// @notice A spend under a limit was booked; `dailyTotal` includes it.
    event SpendRecorded(address indexed account, address indexed token, uint256 amount, uint256 dailyTotal);
    /// @notice The account set its policy for payments to a merchant, in a token, through a facilitator.
    event PaymentPolicySet(
        address indexed account,
        address indexed merchant,
        address indexed token,
        address facilitator,
        uint256 maxPerPayment,
        uint256 maxPerDay,
        bool allowed
    );
    /// @notice A signed payment was booked; `dailyTotal` includes it.
    event SignedPaymentRecorded(
        address indexed account,
        address indexed merchant,
        address indexed token,
        address facilitator,
        uint256 amount,
        bytes32 paymentHash,
        uint256 dailyTotal
    );
    /// @notice The account named its guardian; the zero address is none.
    event GuardianSet(address indexed account, address indexed guardian);
    /// @notice The account was frozen or thawed.
    event AccountFrozen(address indexed account, bool frozen);

    /// @notice The sender is neither the account nor its guardian.
    error Unauthorized();
    /// @notice A frozen account does nothing.
    error AccountFrozenError(address account);
    /// @notice The target is not on the account's allowlist.
    error TargetNotAllowed(address target);
    /// @notice The account uses a function allowlist and this function of the target is not on it.
    error FunctionNotAllowed(address target, bytes4 selector);
    /// @notice Today's spending would pass the daily limit.
    error DailySpendLimitExceeded(address token, uint256 attempted, uint256 remaining);
    /// @notice The account allows no payment to the merchant, in the token, through the facilitator.
    error PaymentNotAllowed(address merchant, address token, address facilitator);
    /// @notice The payment is larger than what the policy allows for one payment, or leaves for today.
    error PaymentAmountExceeded(address token, uint256 attempted, uint256 remaining);
    /// @notice The account has booked this payment before.
    error PaymentAlreadyRecorded(bytes32 paymentHash);

    uint256 private constant WINDOW = 86_400;
    /// @dev Stands for the native coin wherever a token is named.
    address private constant NATIVE = address(0);

    mapping(address account => mapping(address token => SpendLimit)) private spendLimits;
    mapping(address account => mapping(address target => bool)) private allowedTargets;
    mapping(address account => mapping(address target => mapping(bytes4 selector => bool))) private allowedFunctions;
    mapping(address account => bool) private usesFunctionAllowlist;
    mapping(address account => address) private guardians;
    mapping(address account => bool) private frozenAccounts;
    mapping(
        address account
            => mapping(address merchant => mapping(address token => mapping(address facilitator => PaymentPolicy)))
    ) private paymentPolicies;
    mapping(address account => mapping(bytes32 paymentHash => bool)) private recordedPayments;

    /// @notice Limits what the account spends of a token in a day. The current window and what was spent in it stay.
    function setSpendLimit(address token, uint256 maxPerDay) external {
        spendLimits[msg.sender][token].maxPerDay = maxPerDay;
        emit SpendLimitSet(msg.sender, token, maxPerDay);
    }

    /// @notice Lets the account call a target, or no longer.
    function setTargetAllowed(address target, bool allowed) external {
        allowedTargets[msg.sender][target] = allowed;
        emit TargetAllowlistUpdated(msg.sender, target, allowed);
    }

    /// @notice Lets the account call a function of a target, or no longer. Counts while the function allowlist is on.
    function setFunctionAllowed(address target, bytes4 selector, bool allowed) external {
        allowedFunctions[msg.sender][target][selector] = allowed;
        emit FunctionAllowlistUpdated(msg.sender, target, selector, allowed);
    }

    /// @notice Turns the account's function allowlist on or off.
    function setUseFunctionAllowlist(bool enabled) external {
        usesFunctionAllowlist[msg.sender] = enabled;
        emit FunctionAllowlistModeUpdated(msg.sender, enabled);
    }

    /// @notice Names who, besides the account, may freeze and thaw it.
    function setGuardian(address guardian) external {
        guardians[msg.sender] = guardian;
        emit GuardianSet(msg.sender, guardian);
    }

    /// @notice Freezes or thaws an account, as the account itself or its guardian.
    function setAccountFrozen(address account, bool frozen) external {
        if (msg.sender != account && msg.sender != guardians[account]) revert Unauthorized();
        frozenAccounts[account] = frozen;
        emit AccountFrozen(account, frozen);
    }

    /// @notice Sets what the account may pay a merchant, in a token, through a facilitator. The current window stays.
    function setPaymentPolicy(
        address merchant,
        address token,
        address facilitator,
        uint256 maxPerPayment,
        uint256 maxPerDay,
        bool allowed
    ) external {
        PaymentPolicy storage policy = paymentPolicies[msg.sender][merchant][token][facilitator];
        policy.maxPerPayment = maxPerPayment;
        policy.maxPerDay = maxPerDay;
        policy.allowed = allowed;
        emit PaymentPolicySet(msg.sender, merchant, token, facilitator, maxPerPayment, maxPerDay, allowed);
    }

    /// @notice Reverts unless the account's policies let it make this call now.
    function checkTransaction(address target, uint256 value, bytes calldata data) external view {
        if (frozenAccounts[msg.sender]) revert AccountFrozenError(msg.sender);
        if (!allowedTargets[msg.sender][target]) revert TargetNotAllowed(target);
        if (usesFunctionAllowlist[msg.sender] && data.length >= 4) {
            bytes4 selector = bytes4(data[:4]);
            if (!allowedFunctions[msg.sender][target][selector]) revert FunctionNotAllowed(target, selector);
        }
        if (value > 0) _checkSpend(NATIVE, value);
        (address token, uint256 amount) = getTokenSpend(target, data);
        if (amount > 0) _checkSpend(token, amount);
    }

    /// @notice Books a spend of the account against its daily limit. Without a limit nothing is booked.
    function recordSpend(address token, uint256 amount) external {
        SpendLimit storage limit = spendLimits[msg.sender][token];
        if (limit.maxPerDay == 0) return;
        if (_windowIsOver(limit.lastResetTimestamp)) {
            limit.spentToday = 0;
            limit.lastResetTimestamp = uint48(block.timestamp);
        }
        limit.spentToday += amount;
        emit SpendRecorded(msg.sender, token, amount, limit.spentToday);
    }

    /// @notice Reverts unless the account's policies let it make this payment now.
    function checkSignedPayment(address merchant, address token, address facilitator, uint256 amount) external view {
        _checkPayment(merchant, token, facilitator, amount);
    }

    /// @notice Books a signed payment that the account's policies allow, once per payment hash.
    /// @dev The day's total is kept without a daily limit too, so that a limit set later counts the whole day.
    function recordSignedPayment(
        address merchant,
        address token,
        address facilitator,
        uint256 amount,
        bytes32 paymentHash
    ) external {
        if (recordedPayments[msg.sender][paymentHash]) revert PaymentAlreadyRecorded(paymentHash);
        PaymentPolicy storage policy = _checkPayment(merchant, token, facilitator, amount);
        recordedPayments[msg.sender][paymentHash] = true;
        if (_windowIsOver(policy.lastResetTimestamp)) {
            policy.spentToday = 0;
            policy.lastResetTimestamp = uint48(block.timestamp);
        }
        policy.spentToday += amount;
        emit SignedPaymentRecorded(msg.sender, merchant, token, facilitator, amount, paymentHash, policy.spentToday);
    }

    /// @notice The limit as stored: `spentToday` belongs to the window that began at `lastResetTimestamp`, over or not.
    function getSpendLimit(address account, address token) external view returns (SpendLimit memory) {
        return spendLimits[account][token];
    }

    /// @notice What counts against the limit now: 0 once the window is over.
    function getSpentToday(address account, address token) external view returns (uint256) {
        SpendLimit storage limit = spendLimits[account][token];
        return _spentInWindow(limit.spentToday, limit.lastResetTimestamp);
    }

    /// @notice The payment policy as stored, like `getSpendLimit`.
    function getPaymentPolicy(address account, address merchant, address token, address facilitator)
        external
        view
        returns (PaymentPolicy memory)
    {
        return paymentPolicies[account][merchant][token][facilitator];
    }

    /// @notice Whether the target is on the account's allowlist.
    function isTargetAllowed(address account, address target) external view returns (bool) {
        return allowedTargets[account][target];
    }

    /// @notice Whether the function is on the account's allowlist, be that list in use or not.
    function isFunctionAllowed(address account, address target, bytes4 selector) external view returns (bool) {
        return allowedFunctions[account][target][selector];
    }

    /// @notice The account's guardian; the zero address is none.
    function guardianOf(address account) external view returns (address) {
        return guardians[account];
    }

    /// @notice Whether the account is frozen.
    function isAccountFrozen(address account) external view returns (bool) {
        return frozenAccounts[account];
    }

    /// @notice Reads the token spend out of a call: the amount of an ERC-20 transfer, approval or transferFrom, in the
    ///         token that is the target. Any other call spends no token.
    function getTokenSpend(address target, bytes calldata data) public pure returns (address token, uint256 amount) {
        if (data.length < 4) return (NATIVE, 0);
        bytes4 selector = bytes4(data[:4]);
        if ((selector == IERC20.transfer.selector || selector == IERC20.approve.selector) && data.length >= 68) {
            return (target, uint256(bytes32(data[36:68])));
        }
        if (selector == IERC20.transferFrom.selector && data.length >= 100) {
            return (target, uint256(bytes32(data[68:100])));
        }
        return (NATIVE, 0);
    }

    function _checkSpend(address token, uint256 amount) private view {
        SpendLimit storage limit = spendLimits[msg.sender][token];
        uint256 maxPerDay = limit.maxPerDay;
        if (maxPerDay == 0) return;
        uint256 spent = _spentInWindow(limit.spentToday, limit.lastResetTimestamp);
        // Denied by arithmetic too: a sum over 2^256, or a limit that was lowered below what is spent already.
        if (spent + amount > maxPerDay) revert DailySpendLimitExceeded(token, amount, maxPerDay - spent);
    }

    function _checkPayment(address merchant, address token, address facilitator, uint256 amount)
        private
        view
        returns (PaymentPolicy storage policy)
    {
        if (frozenAccounts[msg.sender]) revert AccountFrozenError(msg.sender);
        policy = paymentPolicies[msg.sender][merchant][token][facilitator];
        if (!policy.allowed) revert PaymentNotAllowed(merchant, token, facilitator);
        uint256 maxPerPayment = policy.maxPerPayment;
        if (maxPerPayment != 0 && amount > maxPerPayment) revert PaymentAmountExceeded(token, amount, maxPerPayment);
        uint256 maxPerDay = policy.maxPerDay;
        if (maxPerDay == 0) return policy;
        uint256 spent = _spentInWindow(policy.spentToday, policy.lastResetTimestamp);
        if (spent + amount > maxPerDay) revert PaymentAmountExceeded(token, amount, maxPerDay - spent);
    }

    function _spentInWindow(uint256 spentToday, uint48 lastReset) private view returns (uint256) {
        return _windowIsOver(lastReset) ? 0 : spentToday;
    }

    function _windowIsOver(uint48 lastReset) private view returns (bool) {
        return block.timestamp >= lastReset + WINDOW;
    }
}
