// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {CommerceTypes} from "../src/CommerceTypes.sol";
import {CommerceTest} from "./CommerceTest.sol";

contract CommerceQuotesTest is CommerceTest {
    function expectCommitted(bytes32 quoteHash, CommerceTypes.QuoteCommitment memory commitment) private {
        vm.expectEmit(address(registry));
        emit CommerceTypes.QuoteCommitted(
            quoteHash,
            commitment.merchantId,
            commitment.serviceNumericId,
            commitment.agent,
            commitment.token,
            commitment.facilitator,
            commitment.amount,
            uint8(commitment.paymentRail),
            0,
            0,
            commitment.expiresAt,
            commitment.paymentNonce,
            commitment.resourceHash,
            commitment.termsHash,
            commitment.x402PayloadHash
        );
    }

    /// @dev The hash as the specification spells it.
    function specifiedHash(CommerceTypes.QuoteCommitment memory quote, uint256 chain) private view returns (bytes32) {
        bytes32 sale =
            keccak256(abi.encode(quote.merchantId, quote.serviceNumericId, quote.resourceHash, quote.termsHash));
        bytes32 payment = keccak256(
            abi.encode(
                quote.agent,
                quote.token,
                quote.facilitator,
                quote.amount,
                uint8(quote.paymentRail),
                quote.expiresAt,
                quote.paymentNonce,
                quote.x402PayloadHash
            )
        );
        return keccak256(abi.encode(chain, address(registry), sale, payment, uint16(0), uint256(0)));
    }

    function commitmentOf(CommerceTypes.Quote memory quote)
        private
        pure
        returns (CommerceTypes.QuoteCommitment memory)
    {
        return CommerceTypes.QuoteCommitment({
            merchantId: quote.merchantId,
            serviceNumericId: quote.serviceNumericId,
            agent: quote.agent,
            token: quote.token,
            facilitator: quote.facilitator,
            amount: quote.amount,
            paymentRail: quote.paymentRail,
            expiresAt: quote.expiresAt,
            paymentNonce: quote.paymentNonce,
            resourceHash: quote.resourceHash,
            termsHash: quote.termsHash,
            x402PayloadHash: quote.x402PayloadHash
        });
    }

    function refuse(bytes4 errorSelector, CommerceTypes.QuoteCommitment memory commitment) private {
        vm.expectRevert(errorSelector);
        commit(commitment);
    }

    function test_takesNoFee() public view {
        vm.assertEq(registry.PROTOCOL_FEE_BPS(), 0);
    }

    function testFuzz_hashesAQuoteAsSpecified(
        uint256[5] calldata numbers,
        address[3] calldata parties,
        bytes32[3] calldata hashes,
        uint256 rail,
        uint64 chain
    ) public {
        vm.assume(chain != 0);
        CommerceTypes.QuoteCommitment memory quote = CommerceTypes.QuoteCommitment({
            merchantId: numbers[0],
            serviceNumericId: numbers[1],
            agent: parties[0],
            token: parties[1],
            facilitator: parties[2],
            amount: numbers[2],
            paymentRail: railOf(rail),
            expiresAt: numbers[3],
            paymentNonce: numbers[4],
            resourceHash: hashes[0],
            termsHash: hashes[1],
            x402PayloadHash: hashes[2]
        });
        vm.chainId(chain);
        vm.assertEq(registry.computeQuoteHash(quote), specifiedHash(quote, chain));

        // With all fields static, the arguments are encoded as the struct is.
        (bool success, bytes memory result) =
            address(registry).staticcall(abi.encodePacked(bytes4(0x70445da0), abi.encode(quote)));
        vm.assertTrue(success);
        vm.assertEq(abi.decode(result, (bytes32)), specifiedHash(quote, chain));
    }

    function testFuzz_commitsToAQuote(
        uint256 amount,
        uint256 rail,
        uint256 expiresAt,
        uint256 paymentNonce,
        address buyer,
        bytes32 hash
    ) public {
        CommerceTypes.QuoteCommitment memory quote = exampleQuote(railOf(rail));
        quote.agent = buyer;
        quote.amount = amount;
        quote.expiresAt = bound(expiresAt, START + 1, type(uint256).max);
        quote.paymentNonce = paymentNonce;
        quote.x402PayloadHash = hash;
        bytes32 quoteHash = registry.computeQuoteHash(quote);
        expectCommitted(quoteHash, quote);
        vm.assertEq(commit(quote), quoteHash);

        CommerceTypes.Quote memory committed = registry.getQuote(quoteHash);
        vm.assertEq(abi.encode(commitmentOf(committed)), abi.encode(quote));
        vm.assertEq(committed.protocolFeeBps, 0);
        vm.assertEq(committed.protocolFeeAmount, 0);
        vm.assertFalse(committed.settled);
    }

    function testFuzz_knowsNoQuoteThatWasNotCommitted(bytes32 quoteHash) public {
        vm.expectRevert(CommerceTypes.QuoteNotFound.selector);
        registry.getQuote(quoteHash);
        vm.expectRevert(CommerceTypes.QuoteNotFound.selector);
        receiptAs(agent, quoteHash);
    }

    function testFuzz_onlyTheMerchantOwnerCommits(address sender) public {
        vm.assume(sender != merchantOwner);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        vm.prank(sender);
        registry.commitQuote(exampleQuote(CommerceTypes.PaymentRail.TRANSFER));
    }

    function test_quotesForAMerchantAndAServiceOfIts() public {
        vm.startPrank(stranger);
        registry.registerMerchant(stranger, "", 0);
        registry.registerService(2, "", "", 0, 0);
        vm.stopPrank();
        CommerceTypes.QuoteCommitment memory quote = exampleQuote(CommerceTypes.PaymentRail.TRANSFER);
        quote.merchantId = 3;
        refuse(CommerceTypes.MerchantNotFound.selector, quote);
        quote.merchantId = 1;
        quote.serviceNumericId = 2;
        refuse(CommerceTypes.ServiceNotFound.selector, quote);
        quote.serviceNumericId = 3;
        refuse(CommerceTypes.ServiceNotFound.selector, quote);
        quote.serviceNumericId = 0;
        refuse(CommerceTypes.ServiceNotFound.selector, quote);
    }

    function testFuzz_commitsToNoQuoteThatIsOver(uint256 expiresAt) public {
        CommerceTypes.QuoteCommitment memory quote = exampleQuote(CommerceTypes.PaymentRail.TRANSFER);
        quote.expiresAt = bound(expiresAt, 0, START);
        refuse(CommerceTypes.QuoteExpired.selector, quote);
    }

    function test_facilitatedRailsNeedAnActiveFacilitator() public {
        vm.prank(facilitator);
        registry.updateFacilitator(1, "", 0, false);
        for (uint256 rail = 2; rail < 4; rail++) {
            CommerceTypes.QuoteCommitment memory quote = exampleQuote(railOf(rail));
            refuse(CommerceTypes.FacilitatorInactive.selector, quote);
            quote.facilitator = stranger;
            refuse(CommerceTypes.FacilitatorNotFound.selector, quote);
            quote.facilitator = address(0);
            refuse(CommerceTypes.FacilitatorNotFound.selector, quote);
        }
    }

    function testFuzz_otherRailsAskNothingOfTheFacilitator(address named) public {
        for (uint256 rail = 0; rail < 2; rail++) {
            CommerceTypes.QuoteCommitment memory quote = exampleQuote(railOf(rail));
            quote.facilitator = named;
            vm.assertEq(registry.getQuote(commit(quote)).facilitator, named);
        }
    }
}
