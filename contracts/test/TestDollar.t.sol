// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";
import {PolicyAccount} from "../src/PolicyAccount.sol";
import {PolicyModule} from "../src/PolicyModule.sol";
import {TestDollar} from "../src/dev/TestDollar.sol";
import {Test} from "./Test.sol";

/// @notice The token, and transfers by authorization (EIP-3009).
/// forge-config: default.fuzz.runs = 64
contract TestDollarTest is Test {
    /// @dev The members of an authorized transfer, in the order they are signed.
    struct Payment {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    string private constant TRANSFER =
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";
    string private constant RECEIVE =
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)";

    TestDollar private token;
    address private payer = actor("payer");
    address private payee = actor("payee");
    bytes32 private domain;

    function setUp() public override {
        super.setUp();
        token = new TestDollar();
        token.mint(payer, 1_000);
        domain = domainSeparator("Test Dollar", block.chainid, address(token));
    }

    function examplePayment() private view returns (Payment memory) {
        return Payment(payer, payee, 600, START - 1, START + 1, bytes32("nonce"));
    }

    function sign(string memory kind, Payment memory payment) private view returns (uint8 v, bytes32 r, bytes32 s) {
        return vm.sign(key("payer"), typedDataHash(domain, keccak256(abi.encode(keccak256(bytes(kind)), payment))));
    }

    function transfer(Payment memory p, uint8 v, bytes32 r, bytes32 s) private {
        token.transferWithAuthorization(p.from, p.to, p.value, p.validAfter, p.validBefore, p.nonce, v, r, s);
    }

    function transfer(Payment memory p, bytes memory signature) private {
        token.transferWithAuthorization(p.from, p.to, p.value, p.validAfter, p.validBefore, p.nonce, signature);
    }

    function take(Payment memory p, uint8 v, bytes32 r, bytes32 s) private {
        token.receiveWithAuthorization(p.from, p.to, p.value, p.validAfter, p.validBefore, p.nonce, v, r, s);
    }

    function take(Payment memory p, bytes memory signature) private {
        token.receiveWithAuthorization(p.from, p.to, p.value, p.validAfter, p.validBefore, p.nonce, signature);
    }

    function signCancel() private view returns (uint8 v, bytes32 r, bytes32 s) {
        bytes32 typeHash = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
        return vm.sign(key("payer"), typedDataHash(domain, keccak256(abi.encode(typeHash, payer, bytes32("nonce")))));
    }

    function usedError() private view returns (bytes memory) {
        return abi.encodeWithSelector(TestDollar.AuthorizationUsedOrCanceled.selector, payer, bytes32("nonce"));
    }

    function test_isADollarWithSixDecimals() public view {
        vm.assertEq(token.name(), "Test Dollar");
        vm.assertEq(token.symbol(), "tUSD");
        vm.assertEq(token.decimals(), 6);
        vm.assertEq(token.DOMAIN_SEPARATOR(), domain);
    }

    function testFuzz_anyoneMints(address sender, address to, uint256 amount) public {
        vm.assume(to != address(0) && to != payer);
        amount = bound(amount, 0, type(uint256).max - 1_000);
        vm.expectEmit(address(token));
        emit IERC20.Transfer(address(0), to, amount);
        vm.prank(sender);
        token.mint(to, amount);
        vm.assertEq(token.balanceOf(to), amount);
        vm.assertEq(token.totalSupply(), amount + 1_000);
    }

    function testFuzz_anyoneSubmitsATransfer(address sender, uint256 value, bytes32 nonce) public {
        Payment memory payment = examplePayment();
        payment.value = bound(value, 0, 1_000);
        payment.nonce = nonce;
        (uint8 v, bytes32 r, bytes32 s) = sign(TRANSFER, payment);
        vm.expectEmit(address(token));
        emit TestDollar.AuthorizationUsed(payer, nonce);
        vm.expectEmit(address(token));
        emit IERC20.Transfer(payer, payee, payment.value);
        vm.prank(sender);
        transfer(payment, v, r, s);
        vm.assertEq(token.balanceOf(payee), payment.value);
        vm.assertTrue(token.authorizationState(payer, nonce));
    }

    function test_takesTheSignatureAsBytesToo() public {
        Payment memory payment = examplePayment();
        (uint8 v, bytes32 r, bytes32 s) = sign(TRANSFER, payment);
        transfer(payment, abi.encodePacked(r, s, v));
        vm.assertEq(token.balanceOf(payee), 600);
        vm.expectRevert(usedError());
        transfer(payment, v, r, s);
    }

    function test_onlyThePayeeReceives() public {
        Payment memory payment = examplePayment();
        (uint8 v, bytes32 r, bytes32 s) = sign(RECEIVE, payment);
        bytes memory error = abi.encodeWithSelector(TestDollar.CallerIsNotPayee.selector, address(this), payee);
        vm.expectRevert(error);
        take(payment, v, r, s);
        vm.expectRevert(error);
        take(payment, abi.encodePacked(r, s, v));
        vm.startPrank(payee);
        take(payment, v, r, s);
        vm.assertEq(token.balanceOf(payee), 600);

        payment.nonce = bytes32("other");
        payment.value = 400;
        (v, r, s) = sign(RECEIVE, payment);
        take(payment, abi.encodePacked(r, s, v));
        vm.assertEq(token.balanceOf(payee), 1_000);
    }

    function test_anAuthorizationToReceiveIsNoneToTransfer() public {
        Payment memory payment = examplePayment();
        (uint8 v, bytes32 r, bytes32 s) = sign(RECEIVE, payment);
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        transfer(payment, v, r, s);
        (v, r, s) = sign(TRANSFER, payment);
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        vm.prank(payee);
        take(payment, v, r, s);
    }

    function test_holdsBetweenItsTwoTimesOnly() public {
        Payment memory payment = examplePayment();
        (uint8 v, bytes32 r, bytes32 s) = sign(TRANSFER, payment);
        vm.warp(payment.validAfter);
        vm.expectRevert(abi.encodeWithSelector(TestDollar.AuthorizationNotYetValid.selector, payment.validAfter));
        transfer(payment, v, r, s);
        vm.warp(payment.validBefore);
        vm.expectRevert(abi.encodeWithSelector(TestDollar.AuthorizationExpired.selector, payment.validBefore));
        transfer(payment, v, r, s);
        vm.warp(START);
        transfer(payment, v, r, s);
    }

    function test_cancelsAnUnusedAuthorization() public {
        (uint8 v, bytes32 r, bytes32 s) = signCancel();
        vm.expectEmit(address(token));
        emit TestDollar.AuthorizationCanceled(payer, bytes32("nonce"));
        token.cancelAuthorization(payer, bytes32("nonce"), v, r, s);
        vm.assertTrue(token.authorizationState(payer, bytes32("nonce")));
        vm.expectRevert(usedError());
        token.cancelAuthorization(payer, bytes32("nonce"), abi.encodePacked(r, s, v));

        Payment memory payment = examplePayment();
        (v, r, s) = sign(TRANSFER, payment);
        vm.expectRevert(usedError());
        transfer(payment, v, r, s);
    }

    function test_cancelsWithTheSignatureAsBytesToo() public {
        (uint8 v, bytes32 r, bytes32 s) = signCancel();
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        token.cancelAuthorization(payer, bytes32("other"), abi.encodePacked(r, s, v));
        token.cancelAuthorization(payer, bytes32("nonce"), abi.encodePacked(r, s, v));
        vm.assertTrue(token.authorizationState(payer, bytes32("nonce")));
    }

    function testFuzz_isNotGoodForAnyOtherMember(uint256 member, uint256 change) public {
        change = bound(change, 1, START - 2);
        Payment memory payment = examplePayment();
        (uint8 v, bytes32 r, bytes32 s) = sign(TRANSFER, payment);
        member = bound(member, 0, 5);
        if (member == 0) payment.from = address(uint160(payer) ^ uint160(change));
        if (member == 1) payment.to = address(uint160(payee) ^ uint160(change));
        if (member == 2) payment.value += change;
        if (member == 3) payment.validAfter -= change;
        if (member == 4) payment.validBefore += change;
        if (member == 5) payment.nonce = bytes32(change);
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        transfer(payment, v, r, s);
    }

    function test_isNotGoodMalleatedNorElsewhere() public {
        Payment memory payment = examplePayment();
        (uint8 v, bytes32 r, bytes32 s) = sign(TRANSFER, payment);
        (uint8 otherV, bytes32 otherS) = malleate(v, s);
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        transfer(payment, otherV, r, otherS);
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        transfer(payment, abi.encodePacked(r, otherS, otherV));
        vm.chainId(1);
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        transfer(payment, v, r, s);
        vm.chainId(31_337);
        token = new TestDollar();
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        transfer(payment, v, r, s);
    }

    function testFuzz_isNotGoodMadeUp(bytes calldata signature) public {
        vm.expectRevert(TestDollar.InvalidSignature.selector);
        transfer(examplePayment(), signature);
    }

    function test_anAuthorizationOfMoreThanThereIsStaysUnused() public {
        Payment memory payment = examplePayment();
        payment.value = 1_001;
        (uint8 v, bytes32 r, bytes32 s) = sign(TRANSFER, payment);
        vm.expectRevert(abi.encodeWithSelector(IERC20Errors.ERC20InsufficientBalance.selector, payer, 1_000, 1_001));
        transfer(payment, v, r, s);
        vm.assertFalse(token.authorizationState(payer, payment.nonce));
    }

    function test_aContractAuthorizesThroughItsOwnSignature() public {
        PolicyAccount account = new PolicyAccount(payer, address(new PolicyModule()));
        token.mint(address(account), 700);
        Payment memory payment = examplePayment();
        payment.from = address(account);
        (uint8 v, bytes32 r, bytes32 s) = sign(TRANSFER, payment);
        transfer(payment, abi.encodePacked(r, s, v));
        vm.assertEq(token.balanceOf(payee), 600);
        vm.assertEq(token.balanceOf(address(account)), 100);
    }
}
