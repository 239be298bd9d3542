// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {PolicyModule} from "../src/PolicyModule.sol";
import {Test} from "./Test.sol";

/// @notice Targets, functions, the guardian and the freeze.
contract PolicyAllowlistTest is Test {
    PolicyModule private module;
    address private account = actor("account");
    address private guardian = actor("guardian");
    address private target = actor("target");
    bytes4 private constant SELECTOR = 0x12345678;

    function setUp() public override {
        super.setUp();
        module = new PolicyModule();
    }

    function allowTarget() private {
        vm.prank(account);
        module.setTargetAllowed(target, true);
    }

    function check(bytes memory data) private {
        vm.prank(account);
        module.checkTransaction(target, 0, data);
    }

    function testFuzz_setsTargets(address sender, address other, bool allowed) public {
        vm.expectEmit(address(module));
        emit PolicyModule.TargetAllowlistUpdated(sender, other, allowed);
        vm.prank(sender);
        module.setTargetAllowed(other, allowed);
        vm.assertEq(module.isTargetAllowed(sender, other), allowed);
    }

    function testFuzz_deniesATargetThatIsNotAllowed(address other, uint256 value, bytes calldata data) public {
        vm.assume(other != target);
        allowTarget();
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.TargetNotAllowed.selector, other));
        vm.prank(account);
        module.checkTransaction(other, value, data);
    }

    function testFuzz_anAllowedTargetIsAllowedToItsAccountOnly(address sender) public {
        vm.assume(sender != account);
        allowTarget();
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.TargetNotAllowed.selector, target));
        vm.prank(sender);
        module.checkTransaction(target, 0, "");
    }

    function testFuzz_allowsAnyCallToAnAllowedTargetWithoutLimits(uint256 value, bytes calldata data) public {
        allowTarget();
        vm.prank(account);
        module.checkTransaction(target, value, data);
    }

    function test_deniesATargetThatWasTakenOff() public {
        allowTarget();
        check("");
        vm.prank(account);
        module.setTargetAllowed(target, false);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.TargetNotAllowed.selector, target));
        check("");
    }

    function testFuzz_setsFunctions(address sender, address other, bytes4 selector, bool allowed) public {
        vm.expectEmit(address(module));
        emit PolicyModule.FunctionAllowlistUpdated(sender, other, selector, allowed);
        vm.prank(sender);
        module.setFunctionAllowed(other, selector, allowed);
        vm.assertEq(module.isFunctionAllowed(sender, other, selector), allowed);
    }

    function testFuzz_setsTheFunctionAllowlistMode(address sender, bool enabled) public {
        vm.expectEmit(address(module));
        emit PolicyModule.FunctionAllowlistModeUpdated(sender, enabled);
        vm.prank(sender);
        module.setUseFunctionAllowlist(enabled);
    }

    function testFuzz_deniesAFunctionThatIsNotAllowedWhileTheModeIsOn(bytes4 selector, bytes calldata rest) public {
        vm.assume(selector != SELECTOR);
        allowTarget();
        vm.startPrank(account);
        module.setFunctionAllowed(target, SELECTOR, true);
        module.setUseFunctionAllowlist(true);
        module.checkTransaction(target, 0, abi.encodePacked(SELECTOR, rest));
        bytes memory data = abi.encodePacked(selector, rest);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.FunctionNotAllowed.selector, target, selector));
        module.checkTransaction(target, 0, data);
        module.setUseFunctionAllowlist(false);
        module.checkTransaction(target, 0, data);
    }

    function testFuzz_functionAllowlistSaysNothingOfDataTooShortForAFunction(bytes3 data) public {
        allowTarget();
        vm.prank(account);
        module.setUseFunctionAllowlist(true);
        check("");
        check(abi.encodePacked(bytes1(data)));
        check(abi.encodePacked(bytes2(data)));
        check(abi.encodePacked(data));
    }

    function test_anAllowedFunctionNeedsItsTargetAllowedToo() public {
        vm.startPrank(account);
        module.setFunctionAllowed(target, SELECTOR, true);
        module.setUseFunctionAllowlist(true);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.TargetNotAllowed.selector, target));
        module.checkTransaction(target, 0, abi.encodePacked(SELECTOR));
    }

    function testFuzz_setsTheGuardian(address sender, address other) public {
        vm.expectEmit(address(module));
        emit PolicyModule.GuardianSet(sender, other);
        vm.prank(sender);
        module.setGuardian(other);
        vm.assertEq(module.guardianOf(sender), other);
    }

    function test_accountAndGuardianFreezeAndThaw() public {
        vm.prank(account);
        module.setGuardian(guardian);
        address[2] memory senders = [account, guardian];
        for (uint256 i = 0; i < senders.length; i++) {
            vm.startPrank(senders[i]);
            vm.expectEmit(address(module));
            emit PolicyModule.AccountFrozen(account, true);
            module.setAccountFrozen(account, true);
            vm.assertTrue(module.isAccountFrozen(account));
            vm.expectEmit(address(module));
            emit PolicyModule.AccountFrozen(account, false);
            module.setAccountFrozen(account, false);
            vm.assertFalse(module.isAccountFrozen(account));
            vm.stopPrank();
        }
    }

    function testFuzz_nobodyElseFreezes(address sender, bool frozen) public {
        vm.assume(sender != account && sender != guardian);
        vm.prank(account);
        module.setGuardian(guardian);
        vm.expectRevert(PolicyModule.Unauthorized.selector);
        vm.prank(sender);
        module.setAccountFrozen(account, frozen);
    }

    function test_guardianThatWasReplacedFreezesNoMore() public {
        vm.startPrank(account);
        module.setGuardian(guardian);
        module.setGuardian(actor("next guardian"));
        vm.stopPrank();
        vm.expectRevert(PolicyModule.Unauthorized.selector);
        vm.prank(guardian);
        module.setAccountFrozen(account, true);
    }

    function test_frozenComesFirstThenTheTargetThenTheFunction() public {
        vm.startPrank(account);
        module.setUseFunctionAllowlist(true);
        module.setSpendLimit(address(0), 1);
        module.setAccountFrozen(account, true);
        bytes memory data = abi.encodePacked(SELECTOR);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.AccountFrozenError.selector, account));
        module.checkTransaction(target, 2, data);
        module.setAccountFrozen(account, false);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.TargetNotAllowed.selector, target));
        module.checkTransaction(target, 2, data);
        module.setTargetAllowed(target, true);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.FunctionNotAllowed.selector, target, SELECTOR));
        module.checkTransaction(target, 2, data);
        module.setFunctionAllowed(target, SELECTOR, true);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.DailySpendLimitExceeded.selector, address(0), 2, 1));
        module.checkTransaction(target, 2, data);
    }
}
