// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {AttestationRegistry} from "../src/AttestationRegistry.sol";
import {IntentBook} from "../src/IntentBook.sol";
import {Test} from "./Test.sol";

/// @notice The EIP-712 hashes of an intent, written out member by member and apart from the contract.
library IntentHash {
    string private constant CONSTRAINTS =
        "Constraints(uint256 amountInMax,uint256 amountOutMin,uint256 deadline,uint16 slippageBps)";
    string private constant EXECUTION =
        "ExecutionRequirements(address target,bytes32 dataHash,bytes32 requiredAttestationSubject,bytes32 requiredAttestationSchema,bytes32 metadataURIHash)";
    string private constant INTENT =
        "Intent(address owner,uint8 intentType,Constraints constraints,ExecutionRequirements execution,address inputToken,address outputToken,uint256 nonce)";

    function structHash(IntentBook.Intent memory intent) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(abi.encodePacked(INTENT, CONSTRAINTS, EXECUTION)),
                intent.owner,
                uint8(intent.intentType),
                constraintsHash(intent.constraints),
                executionHash(intent.execution),
                intent.inputToken,
                intent.outputToken,
                intent.nonce
            )
        );
    }

    function constraintsHash(IntentBook.Constraints memory constraints) private pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(bytes(CONSTRAINTS)),
                constraints.amountInMax,
                constraints.amountOutMin,
                constraints.deadline,
                constraints.slippageBps
            )
        );
    }

    function executionHash(IntentBook.ExecutionRequirements memory execution) private pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256(bytes(EXECUTION)),
                execution.target,
                execution.dataHash,
                execution.requiredAttestationSubject,
                execution.requiredAttestationSchema,
                execution.metadataURIHash
            )
        );
    }
}

/// @notice A book, an owner, solvers, and an intent of the owner to start from.
abstract contract IntentTest is Test {
    AttestationRegistry internal attestations;
    IntentBook internal book;
    address internal owner = actor("owner");
    address internal solver = actor("solver");
    address internal rival = actor("rival");
    address internal inputToken = actor("input token");
    address internal outputToken = actor("output token");
    uint256 internal constant DEADLINE = START + 1 hours;

    function setUp() public virtual override {
        super.setUp();
        attestations = new AttestationRegistry();
        book = new IntentBook(address(attestations));
    }

    function exampleIntent() internal view returns (IntentBook.Intent memory intent) {
        intent.owner = owner;
        intent.constraints =
            IntentBook.Constraints({amountInMax: 1_000, amountOutMin: 500, deadline: DEADLINE, slippageBps: 50});
        intent.inputToken = inputToken;
        intent.outputToken = outputToken;
        intent.nonce = 7;
    }

    function bookDomain(uint256 chain, address verifyingContract) internal pure returns (bytes32) {
        return domainSeparator("AgentIntentBook", chain, verifyingContract);
    }

    function sign(string memory signer, IntentBook.Intent memory intent)
        internal
        view
        returns (uint8 v, bytes32 r, bytes32 s)
    {
        bytes32 domain = bookDomain(block.chainid, address(book));
        return vm.sign(key(signer), typedDataHash(domain, IntentHash.structHash(intent)));
    }

    /// @dev Signs as the owner and submits as whoever the caller pranked.
    function submit(IntentBook.Intent memory intent) internal returns (uint256) {
        (uint8 v, bytes32 r, bytes32 s) = sign("owner", intent);
        return book.submitIntent(intent, v, r, s);
    }

    function submitExample() internal returns (uint256) {
        return submit(exampleIntent());
    }

    function bidAs(address sender, uint256 intentId, uint256 amountIn, uint256 amountOut) internal returns (uint256) {
        vm.prank(sender);
        return book.submitBid(intentId, amountIn, amountOut, 3, START + 30 minutes, bytes32("execution"));
    }

    function select(uint256 intentId, uint256 bidId) internal {
        vm.prank(owner);
        book.selectBid(intentId, bidId);
    }

    /// @dev A submitted intent with a selected bid of 900 in, 600 out.
    function submitAndSelect(IntentBook.Intent memory intent) internal returns (uint256 intentId) {
        intentId = submit(intent);
        select(intentId, bidAs(solver, intentId, 900, 600));
    }

    /// @dev The fill that the bid of `submitAndSelect` allows.
    function exampleFill() internal view returns (IntentBook.Fill memory fill) {
        fill.amountIn = 900;
        fill.amountOut = 600;
        fill.solver = solver;
        fill.executionData = hex"c0ffee";
        fill.resultHash = bytes32("result");
        fill.traceHash = bytes32("trace");
    }

    function assertStatus(uint256 intentId, IntentBook.IntentStatus expected) internal view {
        vm.assertEq(uint256(book.getIntentStatus(intentId)), uint256(expected));
    }
}
