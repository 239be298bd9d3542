// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// @title TestToken
/// @notice A token for development and tests, worth nothing: anyone can mint any amount.
contract TestToken is ERC20 {
    constructor(string memory name, string memory symbol) ERC20(name, symbol) {}

    /// @notice Makes new tokens. Open to anyone: this token is for tests only.
    function mint(address account, uint256 amount) external {
        _mint(account, amount);
    }
}
