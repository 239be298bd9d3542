// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IntentBook} from "../src/IntentBook.sol";
import {IntentHash, IntentTest} from "./IntentTest.sol";

/// @notice A signature is good for one intent, in one book, on one chain, once, whoever brings it.
/// forge-config: default.fuzz.runs = 64
contract IntentSignatureTest is IntentTest {
    function testFuzz_anyoneRelaysIt(address relayer) public {
        vm.prank(relayer);
        vm.assertEq(submitExample(), 1);
        vm.assertEq(book.getIntent(1).owner, owner);
    }

    function refuse(IntentBook.Intent memory intent, uint8 v, bytes32 r, bytes32 s) private {
        vm.expectRevert(IntentBook.InvalidSignature.selector);
        book.submitIntent(intent, v, r, s);
    }

    function test_isGoodOnce() public {
        IntentBook.Intent memory intent = exampleIntent();
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        book.submitIntent(intent, v, r, s);
        vm.expectRevert(IntentBook.InvalidNonce.selector);
        book.submitIntent(intent, v, r, s);
    }

    function testFuzz_isNotGoodForAnotherNonce(uint256 nonce) public {
        IntentBook.Intent memory intent = exampleIntent();
        vm.assume(nonce != intent.nonce);
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        intent.nonce = nonce;
        refuse(intent, v, r, s);
    }

    /// @dev Every member is covered: with any one of them changed, the signature is no good.
    function testFuzz_isNotGoodForAnyOtherMember(uint256 member, uint256 change) public {
        change = bound(change, 1, 1_000);
        IntentBook.Intent memory intent = exampleIntent();
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        member = bound(member, 0, 11);
        if (member == 0) intent.owner = address(uint160(owner) + uint160(change));
        if (member == 1) intent.constraints.amountInMax += change;
        if (member == 2) intent.constraints.amountOutMin += change;
        if (member == 3) intent.constraints.deadline += change;
        if (member == 4) intent.constraints.slippageBps += uint16(change);
        if (member == 5) intent.execution.target = address(uint160(change));
        if (member == 6) intent.execution.dataHash = bytes32(change);
        if (member == 7) intent.execution.requiredAttestationSubject = bytes32(change);
        if (member == 8) intent.execution.requiredAttestationSchema = bytes32(change);
        if (member == 9) intent.execution.metadataURIHash = bytes32(change);
        if (member == 10) intent.inputToken = address(uint160(change));
        if (member == 11) intent.outputToken = address(uint160(change));
        refuse(intent, v, r, s);
    }

    function testFuzz_isNotGoodOnAnotherChain(uint64 chain) public {
        vm.assume(chain != block.chainid && chain != 0);
        IntentBook.Intent memory intent = exampleIntent();
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        vm.chainId(chain);
        refuse(intent, v, r, s);
    }

    function test_followsTheChainWhenItsIdChanges() public {
        vm.chainId(84_532);
        vm.assertEq(submitExample(), 1);
    }

    function test_isNotGoodInAnotherBook() public {
        IntentBook.Intent memory intent = exampleIntent();
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        book = new IntentBook(address(attestations));
        refuse(intent, v, r, s);
    }

    function test_isNotGoodWithoutTheDomain() public {
        IntentBook.Intent memory intent = exampleIntent();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key("owner"), IntentHash.structHash(intent));
        refuse(intent, v, r, s);
    }

    function testFuzz_isNotGoodFromAnotherSigner(uint256 privateKey) public {
        privateKey = bound(privateKey, 1, CURVE_ORDER - 1);
        vm.assume(privateKey != key("owner"));
        IntentBook.Intent memory intent = exampleIntent();
        bytes32 domain = bookDomain(block.chainid, address(book));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(privateKey, typedDataHash(domain, IntentHash.structHash(intent)));
        refuse(intent, v, r, s);
    }

    function testFuzz_isNotGoodMalleated(uint256 nonce) public {
        IntentBook.Intent memory intent = exampleIntent();
        intent.nonce = nonce;
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        (uint8 otherV, bytes32 otherS) = malleate(v, s);
        bytes32 digest = typedDataHash(bookDomain(block.chainid, address(book)), IntentHash.structHash(intent));
        vm.assertEq(ecrecover(digest, otherV, r, otherS), owner);
        refuse(intent, otherV, r, otherS);
    }

    function testFuzz_isNotGoodMadeUp(uint8 v, bytes32 r, bytes32 s) public {
        refuse(exampleIntent(), v, r, s);
    }

    /// @dev ecrecover answers a bad signature with the zero address, which must own nothing.
    function testFuzz_isNeverGoodForTheZeroAddress(uint8 v, bytes32 r, bytes32 s) public {
        IntentBook.Intent memory intent = exampleIntent();
        intent.owner = address(0);
        refuse(intent, v, r, s);
    }
}
