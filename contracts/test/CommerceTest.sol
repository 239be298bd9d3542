// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {CommerceRegistry} from "../src/CommerceRegistry.sol";
import {CommerceTypes} from "../src/CommerceTypes.sol";
import {Test} from "./Test.sol";

/// @notice A registry with merchant 1 and its service 1, facilitator 1, and a quote to start from.
abstract contract CommerceTest is Test {
    CommerceRegistry internal registry;
    address internal merchantOwner = actor("merchant owner");
    address internal facilitator = actor("facilitator");
    address internal agent = actor("agent");
    address internal stranger = actor("stranger");
    address internal token = actor("token");
    uint256 internal constant EXPIRES_AT = START + 10 minutes;

    function setUp() public virtual override {
        super.setUp();
        registry = new CommerceRegistry();
        vm.startPrank(merchantOwner);
        registry.registerMerchant(actor("payout"), "ipfs://merchant", bytes32("merchant"));
        registry.registerService(1, "weather", "ipfs://service", bytes32("service"), bytes32("capability"));
        vm.stopPrank();
        vm.prank(facilitator);
        registry.registerFacilitator(facilitator, "ipfs://facilitator", bytes32("facilitator"));
    }

    function exampleQuote(CommerceTypes.PaymentRail rail) internal view returns (CommerceTypes.QuoteCommitment memory) {
        return CommerceTypes.QuoteCommitment({
            merchantId: 1,
            serviceNumericId: 1,
            agent: agent,
            token: token,
            facilitator: facilitator,
            amount: 5_000,
            paymentRail: rail,
            expiresAt: EXPIRES_AT,
            paymentNonce: 77,
            resourceHash: bytes32("resource"),
            termsHash: bytes32("terms"),
            x402PayloadHash: bytes32("payload")
        });
    }

    function commit(CommerceTypes.QuoteCommitment memory commitment) internal returns (bytes32) {
        vm.prank(merchantOwner);
        return registry.commitQuote(commitment);
    }

    function commitExample(CommerceTypes.PaymentRail rail) internal returns (bytes32) {
        return commit(exampleQuote(rail));
    }

    function receiptAs(address sender, bytes32 quoteHash) internal returns (uint256) {
        vm.prank(sender);
        return registry.recordReceipt(quoteHash, bytes32("result"));
    }

    /// @dev A receipt of an example quote on this rail, by who may record it.
    function settleExample(CommerceTypes.PaymentRail rail) internal returns (uint256) {
        bool facilitated = rail == CommerceTypes.PaymentRail.FACILITATOR || rail == CommerceTypes.PaymentRail.X402;
        return receiptAs(facilitated ? facilitator : agent, commitExample(rail));
    }

    function railOf(uint256 seed) internal pure returns (CommerceTypes.PaymentRail) {
        return CommerceTypes.PaymentRail(seed % 4);
    }
}
