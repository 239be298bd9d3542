// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";
import {PolicyAccount} from "../src/PolicyAccount.sol";
import {PolicyModule} from "../src/PolicyModule.sol";
import {TestDollar} from "../src/dev/TestDollar.sol";
import {Test} from "./Test.sol";

/// @notice A contract that fails without a reason, or with one.
contract Failing {
    error Reason(uint256 code);

    function silently() external pure {
        revert();
    }

    function loudly() external pure {
        revert Reason(42);
    }
}

contract PolicyAccountTest is Test {
    PolicyModule private module;
    PolicyAccount private account;
    TestDollar private token;
    address private signer = actor("signer");
    address private payee = actor("payee");

    function setUp() public override {
        super.setUp();
        module = new PolicyModule();
        account = new PolicyAccount(signer, address(module));
        token = new TestDollar();
        token.mint(address(account), 1_000);
        vm.deal(address(account), 10 ether);
        vm.startPrank(signer);
        account.setTargetAllowed(address(token), true);
        account.setTargetAllowed(payee, true);
        vm.stopPrank();
    }

    function execute(address target, uint256 value, bytes memory data) private returns (bytes memory) {
        vm.prank(signer);
        return account.execute(target, value, data);
    }

    function transfer(uint256 amount) private view returns (bytes memory) {
        return abi.encodeCall(IERC20.transfer, (payee, amount));
    }

    function test_knowsItsSignerAndModule() public view {
        vm.assertEq(account.signer(), signer);
        vm.assertEq(account.policyModule(), address(module));
    }

    function test_receivesTheNativeCoin() public {
        vm.deal(address(this), 1 ether);
        (bool success,) = address(account).call{value: 1 ether}("");
        vm.assertTrue(success);
        vm.assertEq(address(account).balance, 11 ether);
    }

    function test_executesAndReturnsWhatTheCallReturned() public {
        vm.assertEq(execute(address(token), 0, transfer(400)), abi.encode(true));
        vm.assertEq(token.balanceOf(payee), 400);
        vm.assertEq(execute(payee, 2 ether, ""), "");
        vm.assertEq(payee.balance, 2 ether);
    }

    function test_booksValueAndTokensBeforeTheCall() public {
        vm.startPrank(signer);
        account.setSpendLimit(address(0), 3 ether);
        account.setSpendLimit(address(token), 500);
        vm.stopPrank();
        vm.expectEmit(address(module));
        emit PolicyModule.SpendRecorded(address(account), address(0), 1 ether, 1 ether);
        execute(payee, 1 ether, "");
        vm.expectEmit(address(module));
        emit PolicyModule.SpendRecorded(address(account), address(token), 300, 300);
        vm.expectEmit(address(token));
        emit IERC20.Transfer(address(account), payee, 300);
        execute(address(token), 0, transfer(300));
        vm.assertEq(module.getSpentToday(address(account), address(0)), 1 ether);
        vm.assertEq(module.getSpentToday(address(account), address(token)), 300);
    }

    function testFuzz_neverSpendsMoreThanTheLimitInADay(uint256[8] calldata amounts) public {
        vm.prank(signer);
        account.setSpendLimit(address(token), 500);
        for (uint256 i = 0; i < amounts.length; i++) {
            vm.prank(signer);
            try account.execute(address(token), 0, transfer(bound(amounts[i], 0, 600))) {} catch {}
        }
        vm.assertLe(token.balanceOf(payee), 500);
        vm.assertEq(token.balanceOf(payee), module.getSpentToday(address(account), address(token)));
    }

    function test_deniesWhatThePoliciesDeny() public {
        vm.startPrank(signer);
        account.setSpendLimit(address(token), 100);
        bytes memory tooMuch = transfer(101);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.DailySpendLimitExceeded.selector, address(token), 101, 100));
        account.execute(address(token), 0, tooMuch);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.TargetNotAllowed.selector, signer));
        account.execute(signer, 0, "");
        account.setUseFunctionAllowlist(true);
        bytes memory call = transfer(1);
        vm.expectRevert(
            abi.encodeWithSelector(PolicyModule.FunctionNotAllowed.selector, address(token), IERC20.transfer.selector)
        );
        account.execute(address(token), 0, call);
        account.setFunctionAllowed(address(token), IERC20.transfer.selector, true);
        account.execute(address(token), 0, call);
        vm.assertEq(token.balanceOf(payee), 1);
    }

    function test_executesNothingWhileFrozen() public {
        vm.prank(signer);
        account.setGuardian(actor("guardian"));
        vm.prank(actor("guardian"));
        module.setAccountFrozen(address(account), true);
        vm.startPrank(signer);
        vm.expectRevert(abi.encodeWithSelector(PolicyModule.AccountFrozenError.selector, address(account)));
        account.execute(payee, 0, "");
        account.setAccountFrozen(false);
        account.execute(payee, 0, "");
        account.setAccountFrozen(true);
        vm.assertTrue(module.isAccountFrozen(address(account)));
    }

    function test_setsItsOwnPolicies() public {
        vm.startPrank(signer);
        account.setSpendLimit(address(token), 5);
        account.setTargetAllowed(address(token), false);
        account.setFunctionAllowed(payee, 0x01020304, true);
        account.setGuardian(payee);
        vm.expectEmit(address(module));
        emit PolicyModule.FunctionAllowlistModeUpdated(address(account), true);
        account.setUseFunctionAllowlist(true);
        vm.assertEq(module.getSpendLimit(address(account), address(token)).maxPerDay, 5);
        vm.assertFalse(module.isTargetAllowed(address(account), address(token)));
        vm.assertTrue(module.isFunctionAllowed(address(account), payee, 0x01020304));
        vm.assertEq(module.guardianOf(address(account)), payee);
    }

    function test_passesAFailureOnAndBooksNothing() public {
        Failing failing = new Failing();
        vm.startPrank(signer);
        account.setTargetAllowed(address(failing), true);
        vm.expectRevert(abi.encodeWithSelector(Failing.Reason.selector, 42));
        account.execute(address(failing), 0, abi.encodeCall(Failing.loudly, ()));
        vm.expectRevert(Errors.FailedCall.selector);
        account.execute(address(failing), 0, abi.encodeCall(Failing.silently, ()));
        account.setSpendLimit(address(token), 5_000);
        vm.stopPrank();
        bytes memory tooMuch = transfer(2_000);
        vm.expectRevert();
        execute(address(token), 0, tooMuch);
        vm.assertEq(module.getSpentToday(address(account), address(token)), 0);
    }

    function testFuzz_obeysItsSignerOnly(address sender) public {
        vm.assume(sender != signer);
        vm.startPrank(sender);
        vm.expectRevert(PolicyAccount.Unauthorized.selector);
        account.execute(payee, 0, "");
        vm.expectRevert(PolicyAccount.Unauthorized.selector);
        account.setSpendLimit(payee, 0);
        vm.expectRevert(PolicyAccount.Unauthorized.selector);
        account.setTargetAllowed(payee, true);
        vm.expectRevert(PolicyAccount.Unauthorized.selector);
        account.setFunctionAllowed(payee, 0, true);
        vm.expectRevert(PolicyAccount.Unauthorized.selector);
        account.setUseFunctionAllowlist(true);
        vm.expectRevert(PolicyAccount.Unauthorized.selector);
        account.setGuardian(payee);
        vm.expectRevert(PolicyAccount.Unauthorized.selector);
        account.setAccountFrozen(true);
    }

    /// forge-config: default.fuzz.runs = 32
    function testFuzz_hasSignedWhatItsSignerSigned(bytes32 hash, bytes32 otherHash) public view {
        vm.assume(hash != otherHash);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key("signer"), hash);
        bytes memory signature = abi.encodePacked(r, s, v);
        vm.assertTrue(account.isValidSignature(hash, signature) == IERC1271.isValidSignature.selector);
        vm.assertTrue(account.isValidSignature(otherHash, signature) == bytes4(0xffffffff));
        (uint8 otherV, bytes32 otherS) = malleate(v, s);
        vm.assertTrue(account.isValidSignature(hash, abi.encodePacked(r, otherS, otherV)) == bytes4(0xffffffff));
    }

    function testFuzz_hasNotSignedWhatIsMadeUp(bytes32 hash, bytes calldata signature) public view {
        vm.assertTrue(account.isValidSignature(hash, signature) == bytes4(0xffffffff));
    }

    function test_anAccountMaySignForAnAccount() public {
        PolicyAccount outer = new PolicyAccount(address(account), address(module));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key("signer"), bytes32("hash"));
        vm.assertTrue(
            outer.isValidSignature(bytes32("hash"), abi.encodePacked(r, s, v)) == IERC1271.isValidSignature.selector
        );
    }
}
