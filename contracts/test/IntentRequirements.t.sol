// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IntentBook} from "../src/IntentBook.sol";
import {IntentTest} from "./IntentTest.sol";

/// @notice What an intent may commit its execution to: certain data, and an attestation.
contract IntentRequirementsTest is IntentTest {
    bytes32 private constant SUBJECT = bytes32("subject");
    bytes32 private constant SCHEMA = bytes32("schema");
    uint256 private constant WITH_DATA = 1;
    uint256 private constant WITH_ATTESTATION = 2;
    uint256 private constant WITH_SUBJECT = 3;
    uint256 private constant WITH_SCHEMA = 4;

    function setUp() public override {
        super.setUp();
        requireOf(WITH_DATA, bytes32("execution"), 0, 0);
        requireOf(WITH_ATTESTATION, 0, SUBJECT, SCHEMA);
        requireOf(WITH_SUBJECT, 0, SUBJECT, 0);
        requireOf(WITH_SCHEMA, 0, 0, SCHEMA);
    }

    function requireOf(uint256 nonce, bytes32 dataHash, bytes32 subject, bytes32 schema) private {
        IntentBook.Intent memory intent = exampleIntent();
        intent.nonce = nonce;
        intent.execution.dataHash = dataHash;
        intent.execution.requiredAttestationSubject = subject;
        intent.execution.requiredAttestationSchema = schema;
        submitAndSelect(intent);
    }

    function fill(uint256 intentId, uint256 attestationId) private {
        IntentBook.Fill memory filled = exampleFill();
        filled.attestationId = attestationId;
        vm.prank(solver);
        book.fillIntent(intentId, filled);
    }

    function refuse(uint256 intentId, uint256 attestationId) private {
        vm.expectRevert(IntentBook.RequiredAttestationMissing.selector);
        fill(intentId, attestationId);
        assertStatus(intentId, IntentBook.IntentStatus.OPEN);
    }

    function test_fillsABidThatExecutesWhatTheIntentCommitsTo() public {
        fill(WITH_DATA, 0);
        assertStatus(WITH_DATA, IntentBook.IntentStatus.FILLED);
    }

    function testFuzz_refusesABidThatExecutesSomethingElse(bytes32 executionHash) public {
        vm.assume(executionHash != bytes32("execution"));
        vm.prank(solver);
        select(WITH_DATA, book.submitBid(WITH_DATA, 900, 600, 0, DEADLINE, executionHash));
        vm.expectRevert(IntentBook.ExecutionCommitmentMismatch.selector);
        fill(WITH_DATA, 0);
    }

    function test_fillsUnderTheRequiredAttestation() public {
        uint256 attestationId = attestations.submitAttestation(SCHEMA, SUBJECT, 0);
        vm.expectEmit(address(book));
        emit IntentBook.IntentFilled(WITH_ATTESTATION, solver, 900, 600);
        vm.expectEmit(address(book));
        emit IntentBook.IntentFillProof(WITH_ATTESTATION, bytes32("result"), bytes32("trace"), attestationId);
        fill(WITH_ATTESTATION, attestationId);
    }

    function testFuzz_refusesAnAttestationThatIsNotThere(uint256 attestationId) public {
        refuse(WITH_ATTESTATION, attestationId);
    }

    function testFuzz_refusesAnAttestationUnderAnotherSchema(bytes32 schema) public {
        vm.assume(schema != SCHEMA);
        refuse(WITH_ATTESTATION, attestations.submitAttestation(schema, SUBJECT, 0));
    }

    function testFuzz_refusesAnAttestationAboutAnotherSubject(bytes32 subject) public {
        vm.assume(subject != SUBJECT);
        refuse(WITH_ATTESTATION, attestations.submitAttestation(SCHEMA, subject, 0));
    }

    function test_refusesARevokedAttestation() public {
        uint256 attestationId = attestations.submitAttestation(SCHEMA, SUBJECT, 0);
        attestations.revokeAttestation(attestationId);
        refuse(WITH_ATTESTATION, attestationId);
    }

    function testFuzz_requiresTheSubjectAloneUnderAnySchema(bytes32 schema) public {
        refuse(WITH_SUBJECT, attestations.submitAttestation(schema, bytes32("other"), 0));
        fill(WITH_SUBJECT, attestations.submitAttestation(schema, SUBJECT, 0));
    }

    function testFuzz_requiresTheSchemaAloneAboutAnySubject(bytes32 subject) public {
        refuse(WITH_SCHEMA, attestations.submitAttestation(bytes32("other"), subject, 0));
        fill(WITH_SCHEMA, attestations.submitAttestation(SCHEMA, subject, 0));
    }
}
