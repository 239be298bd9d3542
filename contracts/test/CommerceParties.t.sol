// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {CommerceTypes} from "../src/CommerceTypes.sol";
import {CommerceTest} from "./CommerceTest.sol";

/// @notice Merchants, services and facilitators.
contract CommercePartiesTest is CommerceTest {
    function testFuzz_registersMerchants(address sender, address payout, string calldata uri, bytes32 hash) public {
        vm.assume(sender != address(0));
        vm.expectEmit(address(registry));
        emit CommerceTypes.MerchantRegistered(2, sender, payout, uri, hash);
        vm.prank(sender);
        vm.assertEq(registry.registerMerchant(payout, uri, hash), 2);

        CommerceTypes.Merchant memory merchant = registry.getMerchant(2);
        vm.assertEq(merchant.owner, sender);
        vm.assertEq(merchant.payoutAddress, payout);
        vm.assertEq(merchant.metadataURI, uri);
        vm.assertEq(merchant.metadataHash, hash);
        vm.assertTrue(merchant.active);
    }

    function testFuzz_updatesMerchants(address payout, string calldata uri, bytes32 hash, bool active) public {
        vm.expectEmit(address(registry));
        emit CommerceTypes.MerchantUpdated(1, payout, uri, hash, active);
        vm.prank(merchantOwner);
        registry.updateMerchant(1, payout, uri, hash, active);

        CommerceTypes.Merchant memory merchant = registry.getMerchant(1);
        vm.assertEq(merchant.owner, merchantOwner);
        vm.assertEq(merchant.payoutAddress, payout);
        vm.assertEq(merchant.metadataURI, uri);
        vm.assertEq(merchant.metadataHash, hash);
        vm.assertEq(merchant.active, active);
    }

    function testFuzz_registersServices(string calldata id, string calldata uri, bytes32 hash, bytes32 capability)
        public
    {
        vm.expectEmit(address(registry));
        emit CommerceTypes.ServiceRegistered(2, 1, id, uri, hash, capability);
        vm.prank(merchantOwner);
        vm.assertEq(registry.registerService(1, id, uri, hash, capability), 2);

        CommerceTypes.Service memory service = registry.getService(2);
        vm.assertEq(service.merchantId, 1);
        vm.assertEq(service.serviceId, id);
        vm.assertEq(service.metadataURI, uri);
        vm.assertEq(service.metadataHash, hash);
        vm.assertEq(service.capabilityHash, capability);
        vm.assertTrue(service.active);
    }

    function testFuzz_updatesServices(string calldata uri, bytes32 hash, bytes32 capability, bool active) public {
        vm.expectEmit(address(registry));
        emit CommerceTypes.ServiceUpdated(1, uri, hash, capability, active);
        vm.prank(merchantOwner);
        registry.updateService(1, uri, hash, capability, active);

        CommerceTypes.Service memory service = registry.getService(1);
        vm.assertEq(service.serviceId, "weather");
        vm.assertEq(service.metadataURI, uri);
        vm.assertEq(service.metadataHash, hash);
        vm.assertEq(service.capabilityHash, capability);
        vm.assertEq(service.active, active);
    }

    function testFuzz_onlyTheMerchantOwnerChangesMerchantAndServices(address sender) public {
        vm.assume(sender != merchantOwner);
        vm.startPrank(sender);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        registry.updateMerchant(1, sender, "", 0, true);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        registry.registerService(1, "", "", 0, 0);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        registry.updateService(1, "", 0, 0, true);
    }

    function testFuzz_anyoneRegistersAFacilitatorFirst(
        address sender,
        address settler,
        string calldata uri,
        bytes32 hash
    ) public {
        vm.assume(sender != address(0) && settler != facilitator);
        vm.expectEmit(address(registry));
        emit CommerceTypes.FacilitatorRegistered(2, settler, uri, hash);
        vm.prank(sender);
        vm.assertEq(registry.registerFacilitator(settler, uri, hash), 2);

        CommerceTypes.Facilitator memory registered = registry.getFacilitator(2);
        vm.assertEq(registered.facilitator, settler);
        vm.assertEq(registered.metadataURI, uri);
        vm.assertEq(registered.metadataHash, hash);
        vm.assertTrue(registered.active);
    }

    function test_registrantAndFacilitatorUpdate() public {
        address settler = actor("settler");
        vm.prank(stranger);
        registry.registerFacilitator(settler, "", 0);
        vm.expectEmit(address(registry));
        emit CommerceTypes.FacilitatorUpdated(2, settler, "a", bytes32("b"), false);
        vm.prank(stranger);
        registry.updateFacilitator(2, "a", bytes32("b"), false);
        vm.assertFalse(registry.getFacilitator(2).active);
        vm.assertEq(registry.getFacilitator(2).metadataHash, bytes32("b"));
        vm.prank(settler);
        registry.updateFacilitator(2, "c", bytes32("d"), true);
        vm.assertTrue(registry.getFacilitator(2).active);
        vm.assertEq(registry.getFacilitator(2).metadataURI, "c");
    }

    function testFuzz_nobodyElseSpeaksForAFacilitator(address sender) public {
        vm.assume(sender != facilitator);
        vm.startPrank(sender);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        registry.updateFacilitator(1, "", 0, false);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        registry.registerFacilitator(facilitator, "", 0);
    }

    function test_facilitatorTakesItsEntryOverByRegisteringAgain() public {
        address settler = actor("settler");
        vm.prank(stranger);
        registry.registerFacilitator(settler, "squatted", 0);
        vm.prank(settler);
        vm.assertEq(registry.registerFacilitator(settler, "own", 0), 2);
        vm.expectRevert(CommerceTypes.Unauthorized.selector);
        vm.prank(stranger);
        registry.updateFacilitator(2, "", 0, false);
    }

    function testFuzz_knowsNoPartyThatWasNotRegistered(uint256 id) public {
        vm.assume(id != 1);
        vm.startPrank(merchantOwner);
        vm.expectRevert(CommerceTypes.MerchantNotFound.selector);
        registry.getMerchant(id);
        vm.expectRevert(CommerceTypes.MerchantNotFound.selector);
        registry.updateMerchant(id, agent, "", 0, true);
        vm.expectRevert(CommerceTypes.MerchantNotFound.selector);
        registry.registerService(id, "", "", 0, 0);
        vm.expectRevert(CommerceTypes.ServiceNotFound.selector);
        registry.getService(id);
        vm.expectRevert(CommerceTypes.ServiceNotFound.selector);
        registry.updateService(id, "", 0, 0, true);
        vm.expectRevert(CommerceTypes.FacilitatorNotFound.selector);
        registry.getFacilitator(id);
        vm.expectRevert(CommerceTypes.FacilitatorNotFound.selector);
        registry.updateFacilitator(id, "", 0, true);
    }
}
