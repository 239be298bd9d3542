// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title CallSequence
/// @notice Makes calls in order and tells what each did. It is never deployed: a simulation puts its code at the sender's
///         address, so that the calls have that sender and see what those before them changed.
contract CallSequence {
    /// @notice One call and the native coin it carries.
    struct Call {
        address target;
        uint256 value;
        bytes data;
    }

    /// @notice What a call did. `data` is what it returned, or the data of its revert.
    struct Result {
        bool success;
        bytes data;
    }

    /// @notice Makes the calls in order, also after one that reverts.
    function run(Call[] calldata calls) external returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory data) = calls[i].target.call{value: calls[i].value}(calls[i].data);
            results[i] = Result({success: success, data: data});
        }
    }
}
