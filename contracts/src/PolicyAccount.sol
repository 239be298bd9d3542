// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {PolicyModule} from "./PolicyModule.sol";

/// @title PolicyAccount
/// @notice A minimal smart account: a signer acts through it, and the policy module is asked in front of every call.
/// @dev The signer sets the policies, so they guard against mistakes and against software that holds the signer's
///      trust, not against the signer. The guardian's freeze stops `execute`; the signer can lift it.
contract PolicyAccount is IERC1271 {
    /// @notice The sender is not the account's signer.
    error Unauthorized();

    bytes4 private constant INVALID_SIGNATURE = 0xffffffff;

    address private immutable SIGNER;
    PolicyModule private immutable POLICY_MODULE;

    modifier onlySigner() {
        if (msg.sender != SIGNER) revert Unauthorized();
        _;
    }

    /// @param signer_ Who acts through the account, for good.
    /// @param policyModule_ The module that is asked in front of every execution.
    constructor(address signer_, address policyModule_) {
        SIGNER = signer_;
        POLICY_MODULE = PolicyModule(policyModule_);
    }

    /// @notice Who acts through the account.
    function signer() external view returns (address) {
        return SIGNER;
    }

    /// @notice Where the account's policies are kept.
    function policyModule() external view returns (address) {
        return address(POLICY_MODULE);
    }

    /// @notice The account holds the native coin.
    receive() external payable {}

    /// @notice Makes a call that the policies allow and returns what it returned. Its revert is passed on as it is.
    function execute(address target, uint256 value, bytes calldata data) external onlySigner returns (bytes memory) {
        POLICY_MODULE.checkTransaction(target, value, data);
        if (value > 0) POLICY_MODULE.recordSpend(address(0), value);
        (address token, uint256 amount) = POLICY_MODULE.getTokenSpend(target, data);
        if (amount > 0) POLICY_MODULE.recordSpend(token, amount);
        (bool success, bytes memory result) = target.call{value: value}(data);
        return Address.verifyCallResult(success, result);
    }

    /// @notice Limits what the account spends of a token in a day; 0 is no limit, token 0x0 the native coin.
    function setSpendLimit(address token, uint256 maxPerDay) external onlySigner {
        POLICY_MODULE.setSpendLimit(token, maxPerDay);
    }

    /// @notice Lets the account call a target, or no longer.
    function setTargetAllowed(address target, bool allowed) external onlySigner {
        POLICY_MODULE.setTargetAllowed(target, allowed);
    }

    /// @notice Lets the account call a function of a target, or no longer.
    function setFunctionAllowed(address target, bytes4 selector, bool allowed) external onlySigner {
        POLICY_MODULE.setFunctionAllowed(target, selector, allowed);
    }

    /// @notice Turns the account's function allowlist on or off.
    function setUseFunctionAllowlist(bool enabled) external onlySigner {
        POLICY_MODULE.setUseFunctionAllowlist(enabled);
    }

    /// @notice Names who, besides the account, may freeze and thaw it.
    function setGuardian(address guardian) external onlySigner {
        POLICY_MODULE.setGuardian(guardian);
    }

    /// @notice Freezes or thaws the account.
    function setAccountFrozen(bool frozen) external onlySigner {
        POLICY_MODULE.setAccountFrozen(address(this), frozen);
    }

    /// @notice ERC-1271: what the signer signed, the account has signed.
    /// @dev The hash is not bound to this account: typed data that is meant for it alone must name it.
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        bool valid = SignatureChecker.isValidSignatureNowCalldata(SIGNER, hash, signature);
        return valid ? IERC1271.isValidSignature.selector : INVALID_SIGNATURE;
    }
}
