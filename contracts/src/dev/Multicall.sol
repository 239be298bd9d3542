// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";

/// @title Multicall
/// @notice Makes many calls in one transaction, all of them or none. For development: it makes traffic quickly, and
///         calls to the protocol that come from another contract.
/// @dev Anyone may call anything through it, so it must never hold anything between transactions.
contract Multicall {
    /// @notice One call and the native coin it carries.
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    /// @notice The calls may send the native coin back.
    receive() external payable {}

    /// @notice Makes the calls in order and returns what each returned. The first revert is passed on and undoes all.
    function aggregate(Call[] calldata calls) external payable returns (bytes[] memory results) {
        results = new bytes[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory result) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            results[i] = Address.verifyCallResult(success, result);
        }
    }
}
