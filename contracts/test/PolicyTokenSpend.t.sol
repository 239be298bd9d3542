// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PolicyModule} from "../src/PolicyModule.sol";
import {Test} from "./Test.sol";

/// @notice What the module reads out of a call's data as a spend of tokens.
contract PolicyTokenSpendTest is Test {
    PolicyModule private module;
    address private token = actor("token");

    function setUp() public override {
        super.setUp();
        module = new PolicyModule();
    }

    function assertSpend(bytes memory data, address spentToken, uint256 spentAmount) private view {
        (address read, uint256 amount) = module.getTokenSpend(token, data);
        vm.assertEq(read, spentToken);
        vm.assertEq(amount, spentAmount);
    }

    function testFuzz_readsTransfersAndApprovals(address to, address from, uint256 amount, bytes calldata more)
        public
        view
    {
        assertSpend(abi.encodePacked(abi.encodeCall(IERC20.transfer, (to, amount)), more), token, amount);
        assertSpend(abi.encodePacked(abi.encodeCall(IERC20.approve, (to, amount)), more), token, amount);
        assertSpend(abi.encodePacked(abi.encodeCall(IERC20.transferFrom, (from, to, amount)), more), token, amount);
    }

    function test_readsTheSelectorsOfTheSpecification() public view {
        bytes memory words = abi.encode(1, 2, 3);
        assertSpend(abi.encodePacked(hex"a9059cbb", words), token, 2);
        assertSpend(abi.encodePacked(hex"095ea7b3", words), token, 2);
        assertSpend(abi.encodePacked(hex"23b872dd", words), token, 3);
    }

    function testFuzz_readsNothingOutOfOtherCalls(bytes4 selector, uint256 first, uint256 second, uint256 third)
        public
        view
    {
        vm.assume(
            selector != IERC20.transfer.selector && selector != IERC20.approve.selector
                && selector != IERC20.transferFrom.selector
        );
        assertSpend(abi.encodeWithSelector(selector, first, second, third), address(0), 0);
    }

    function testFuzz_readsNothingOutOfDataThatIsTooShort(uint256 amount, uint256 length) public view {
        bytes memory transfer = abi.encodeCall(IERC20.transfer, (token, amount));
        bytes memory transferFrom = abi.encodeCall(IERC20.transferFrom, (token, token, amount));
        assertSpend(cut(transfer, bound(length, 0, 67)), address(0), 0);
        assertSpend(cut(transferFrom, bound(length, 0, 99)), address(0), 0);
    }

    function cut(bytes memory data, uint256 length) private pure returns (bytes memory short) {
        short = new bytes(length);
        for (uint256 i = 0; i < length; i++) {
            short[i] = data[i];
        }
    }
}
