// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {AgentRegistry} from "../src/AgentRegistry.sol";
import {AttestorRegistry} from "../src/AttestorRegistry.sol";
import {CommerceTypes} from "../src/CommerceTypes.sol";
import {PolicyModule} from "../src/PolicyModule.sol";
import {SolverRegistry} from "../src/SolverRegistry.sol";
import {CommerceTest} from "./CommerceTest.sol";

/// @notice What a chain may legally do and an indexer must survive: each of these goes through here.
contract LegalSequencesTest is CommerceTest {
    uint256 private constant MAX = type(uint256).max;

    function test_theSameQuoteCommittedTwiceIsUnsettledAgain() public {
        bytes32 quoteHash = commitExample(CommerceTypes.PaymentRail.TRANSFER);
        vm.assertEq(receiptAs(agent, quoteHash), 1);
        vm.assertTrue(registry.getQuote(quoteHash).settled);
        vm.assertEq(commitExample(CommerceTypes.PaymentRail.TRANSFER), quoteHash);
        vm.assertFalse(registry.getQuote(quoteHash).settled);
        vm.assertEq(receiptAs(agent, quoteHash), 2);
        vm.assertEq(registry.getReceipt(1).quoteHash, registry.getReceipt(2).quoteHash);
    }

    function test_theSameQuoteCommittedTwiceWhileUnsettled() public {
        bytes32 quoteHash = commitExample(CommerceTypes.PaymentRail.X402);
        vm.assertEq(commitExample(CommerceTypes.PaymentRail.X402), quoteHash);
        receiptAs(facilitator, quoteHash);
    }

    function test_aFacilitatorRegisteredTwiceKeepsItsIdAndIsActiveAgain() public {
        vm.startPrank(facilitator);
        registry.updateFacilitator(1, "", 0, false);
        vm.expectEmit(address(registry));
        emit CommerceTypes.FacilitatorRegistered(1, facilitator, "again", bytes32("again"));
        vm.assertEq(registry.registerFacilitator(facilitator, "again", bytes32("again")), 1);
        vm.assertTrue(registry.getFacilitator(1).active);
        vm.assertEq(registry.getFacilitator(1).metadataURI, "again");
        vm.assertEq(registry.registerFacilitator(facilitator, "third time", 0), 1);
        vm.assertEq(registry.registerFacilitator(stranger, "the next", 0), 2);
    }

    function test_aDisputeResolvedAgainHasTheLaterOutcome() public {
        settleExample(CommerceTypes.PaymentRail.TRANSFER);
        vm.startPrank(merchantOwner);
        registry.openDispute(1, 0);
        registry.resolveDispute(1, CommerceTypes.DisputeStatus.RESOLVED, bytes32("first"));
        vm.expectEmit(address(registry));
        emit CommerceTypes.DisputeResolved(1, 2, bytes32("second"));
        registry.resolveDispute(1, CommerceTypes.DisputeStatus.REJECTED, bytes32("second"));
        vm.assertEq(uint256(registry.getDispute(1).status), uint256(CommerceTypes.DisputeStatus.REJECTED));
        registry.resolveDispute(1, CommerceTypes.DisputeStatus.REJECTED, bytes32("third"));
        vm.assertEq(registry.getDispute(1).resolutionHash, bytes32("third"));
    }

    function test_oneReceiptHasManyDisputes() public {
        settleExample(CommerceTypes.PaymentRail.TRANSFER);
        vm.startPrank(agent);
        vm.assertEq(registry.openDispute(1, 0), 1);
        vm.assertEq(registry.openDispute(1, 0), 2);
    }

    function test_fulfilmentRecordedAgainHasTheLaterHash() public {
        settleExample(CommerceTypes.PaymentRail.TRANSFER);
        vm.startPrank(merchantOwner);
        registry.recordFulfillment(1, bytes32("first"));
        vm.expectEmit(address(registry));
        emit CommerceTypes.FulfillmentRecorded(1, 0);
        registry.recordFulfillment(1, 0);
        vm.assertEq(registry.getReceipt(1).fulfillmentHash, 0);
    }

    function test_oneMerchantUsesAServiceIdTwice() public {
        vm.startPrank(merchantOwner);
        vm.assertEq(registry.registerService(1, "weather", "", 0, 0), 2);
        vm.assertEq(registry.getService(1).serviceId, registry.getService(2).serviceId);
    }

    function test_trustSignalsAboutSubjectsThatDoNotExist() public {
        for (uint8 subject = 0; subject < 4; subject++) {
            vm.expectEmit(address(registry));
            emit CommerceTypes.TrustSignalRecorded(subject + 1, subject, MAX, 1, address(this), 0);
            registry.recordTrustSignal(CommerceTypes.SignalSubject(subject), MAX, CommerceTypes.SignalKind.RISK, 0);
        }
    }

    function test_amountsThatNobodyPaidAndWhoseSumsExceedAWord() public {
        for (uint256 nonce = 0; nonce < 3; nonce++) {
            CommerceTypes.QuoteCommitment memory quote = exampleQuote(CommerceTypes.PaymentRail.TRANSFER);
            quote.amount = MAX;
            quote.paymentNonce = nonce;
            uint256 receiptId = receiptAs(agent, commit(quote));
            vm.assertEq(registry.getReceipt(receiptId).amount, MAX);
            vm.assertEq(registry.getReceipt(receiptId).protocolFeeAmount, 0);
        }
    }

    function test_quotesOfInactiveMerchantsAndServices() public {
        vm.startPrank(merchantOwner);
        registry.updateMerchant(1, merchantOwner, "", 0, false);
        registry.updateService(1, "", 0, 0, false);
        vm.stopPrank();
        vm.assertEq(settleExample(CommerceTypes.PaymentRail.TRANSFER), 1);
    }

    function test_policiesSetAgainToTheSameValues() public {
        PolicyModule module = new PolicyModule();
        for (uint256 i = 0; i < 2; i++) {
            vm.expectEmit(address(module));
            emit PolicyModule.SpendLimitSet(address(this), agent, MAX);
            module.setSpendLimit(agent, MAX);
            vm.expectEmit(address(module));
            emit PolicyModule.TargetAllowlistUpdated(address(this), agent, false);
            module.setTargetAllowed(agent, false);
            vm.expectEmit(address(module));
            emit PolicyModule.FunctionAllowlistUpdated(address(this), agent, 0, true);
            module.setFunctionAllowed(agent, 0, true);
        }
    }

    function testFuzz_stringsOfAnyBytes(bytes calldata anything) public {
        assertTakesEverywhere(anything);
    }

    function test_stringsThatAreEmptyOrHoldNulOrAreNotUtf8() public {
        assertTakesEverywhere("");
        assertTakesEverywhere(hex"00");
        assertTakesEverywhere(hex"61006200");
        assertTakesEverywhere(hex"c328ff80edfe");
    }

    function test_stringsOf100KiloBytes() public {
        bytes memory long = new bytes(100_000);
        for (uint256 i = 0; i < long.length; i += 1_000) {
            long[i] = "x";
        }
        AgentRegistry agents = new AgentRegistry();
        agents.registerAgent(string(long), long, 0);
        vm.assertEq(agents.getAgent(1).metadataURI, string(long));
        vm.assertEq(agents.getAgent(1).pubkey, long);
        registry.registerMerchant(agent, string(long), 0);
        vm.assertEq(registry.getMerchant(2).metadataURI, string(long));
    }

    /// @dev Every function that takes a string takes this one, and every getter gives it back as it was.
    function assertTakesEverywhere(bytes memory content) private {
        string memory anything = string(content);
        AgentRegistry agents = new AgentRegistry();
        agents.registerAgent(anything, content, 0);
        agents.updateAgent(1, anything, 0);
        vm.assertEq(bytes(agents.getAgent(1).metadataURI), content);
        AttestorRegistry attestors = new AttestorRegistry();
        attestors.registerAttestor(anything, 0);
        attestors.updateAttestor(1, anything, 0, true);
        vm.assertEq(bytes(attestors.getAttestor(1).metadataURI), content);
        SolverRegistry solvers = new SolverRegistry();
        solvers.registerSolver(anything, 0);
        solvers.updateSolver(1, anything, 0, true);
        vm.assertEq(bytes(solvers.getSolver(1).metadataURI), content);
        vm.startPrank(merchantOwner);
        registry.updateMerchant(1, agent, anything, 0, true);
        uint256 serviceNumericId = registry.registerService(1, anything, anything, 0, 0);
        registry.updateService(serviceNumericId, anything, 0, 0, true);
        vm.stopPrank();
        vm.prank(facilitator);
        registry.updateFacilitator(1, anything, 0, true);
        vm.assertEq(bytes(registry.getMerchant(1).metadataURI), content);
        vm.assertEq(bytes(registry.getService(serviceNumericId).serviceId), content);
        vm.assertEq(bytes(registry.getFacilitator(1).metadataURI), content);
    }
}
