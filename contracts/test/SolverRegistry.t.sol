// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Errors} from "@openzeppelin/contracts/utils/Errors.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";
import {SolverRegistry} from "../src/SolverRegistry.sol";
import {Test} from "./Test.sol";

/// @notice A solver that asks for its bond again while it is being paid.
contract GreedyOperator {
    SolverRegistry private immutable REGISTRY;

    constructor(SolverRegistry registry) payable {
        REGISTRY = registry;
        registry.registerSolver{value: msg.value}("", 0);
        registry.updateSolver(1, "", 0, false);
    }

    function withdraw(uint256 amount) external {
        REGISTRY.withdrawBond(1, amount);
    }

    receive() external payable {
        REGISTRY.withdrawBond(1, msg.value);
    }
}

contract SolverRegistryTest is Test {
    SolverRegistry private registry;
    address private operator = actor("operator");
    address private backer = actor("backer");

    function setUp() public override {
        super.setUp();
        registry = new SolverRegistry();
        vm.deal(operator, 100 ether);
        vm.deal(backer, 100 ether);
    }

    function register(address sender, uint256 bond) private returns (uint256) {
        vm.prank(sender);
        return registry.registerSolver{value: bond}("ipfs://solver", bytes32("can"));
    }

    function deactivate() private {
        vm.prank(operator);
        registry.updateSolver(1, "ipfs://solver", bytes32("can"), false);
    }

    function testFuzz_registersActiveWithTheValueAsBond(uint256 bond) public {
        bond = bound(bond, 0, 100 ether);
        vm.expectEmit(address(registry));
        emit SolverRegistry.SolverRegistered(1, operator, "ipfs://solver", bytes32("can"), bond);
        vm.assertEq(register(operator, bond), 1);
        vm.assertEq(register(backer, 0), 2);

        SolverRegistry.Solver memory solver = registry.getSolver(1);
        vm.assertEq(solver.operator, operator);
        vm.assertEq(solver.metadataURI, "ipfs://solver");
        vm.assertEq(solver.capabilitiesHash, bytes32("can"));
        vm.assertEq(solver.bond, bond);
        vm.assertEq(solver.fills + solver.successfulFills + solver.failedFills, 0);
        vm.assertTrue(solver.active);
        vm.assertEq(address(registry).balance, bond);
        vm.assertEq(registry.getSolverByOperator(backer), 2);
        vm.assertEq(registry.getSolverByOperator(actor("nobody")), 0);
    }

    function test_refusesASecondSolverOfOneOperator() public {
        register(operator, 0);
        vm.expectRevert(SolverRegistry.SolverAlreadyRegistered.selector);
        register(operator, 1 ether);
    }

    function testFuzz_updatesNeitherOperatorNorBond(string calldata metadataURI, bytes32 capabilitiesHash, bool active)
        public
    {
        register(operator, 1 ether);
        vm.expectEmit(address(registry));
        emit SolverRegistry.SolverUpdated(1, metadataURI, capabilitiesHash, active);
        vm.prank(operator);
        registry.updateSolver(1, metadataURI, capabilitiesHash, active);

        SolverRegistry.Solver memory solver = registry.getSolver(1);
        vm.assertEq(solver.operator, operator);
        vm.assertEq(solver.metadataURI, metadataURI);
        vm.assertEq(solver.capabilitiesHash, capabilitiesHash);
        vm.assertEq(solver.bond, 1 ether);
        vm.assertEq(solver.active, active);
    }

    function test_anyoneAddsToABond() public {
        register(operator, 1 ether);
        vm.expectEmit(address(registry));
        emit SolverRegistry.SolverBondChanged(1, 3 ether);
        vm.prank(backer);
        registry.addBond{value: 2 ether}(1);
        vm.assertEq(registry.getSolver(1).bond, 3 ether);
    }

    function testFuzz_paysTheBondOutWhileInactive(uint256 bond, uint256 amount) public {
        bond = bound(bond, 0, 100 ether);
        amount = bound(amount, 0, bond);
        register(operator, bond);
        deactivate();
        vm.expectEmit(address(registry));
        emit SolverRegistry.SolverBondChanged(1, bond - amount);
        vm.prank(operator);
        registry.withdrawBond(1, amount);

        vm.assertEq(operator.balance, 100 ether - bond + amount);
        vm.assertEq(address(registry).balance, bond - amount);
        vm.assertEq(registry.getSolver(1).bond, bond - amount);
    }

    function test_keepsTheBondOfAnActiveSolver() public {
        register(operator, 1 ether);
        vm.expectRevert(SolverRegistry.SolverInactive.selector);
        vm.prank(operator);
        registry.withdrawBond(1, 1);
    }

    function testFuzz_paysNoMoreThanTheSolversOwnBond(uint256 amount) public {
        amount = bound(amount, 1 ether + 1, type(uint256).max);
        register(operator, 1 ether);
        register(backer, 50 ether);
        deactivate();
        vm.expectRevert(panic());
        vm.prank(operator);
        registry.withdrawBond(1, amount);
    }

    function test_paysNothingTwiceToAReentrantOperator() public {
        GreedyOperator greedy = new GreedyOperator{value: 2 ether}(registry);
        register(backer, 50 ether);
        vm.expectRevert(ReentrancyGuard.ReentrancyGuardReentrantCall.selector);
        greedy.withdraw(1 ether);
        vm.assertEq(registry.getSolver(1).bond, 2 ether);
        vm.assertEq(address(registry).balance, 52 ether);
    }

    function test_keepsTheBondOfAnOperatorThatTakesNoCoins() public {
        address coinless = address(this);
        vm.deal(coinless, 1 ether);
        registry.registerSolver{value: 1 ether}("", 0);
        registry.updateSolver(1, "", 0, false);
        vm.expectRevert(Errors.FailedCall.selector);
        registry.withdrawBond(1, 1 ether);
        vm.assertEq(registry.getSolver(1).bond, 1 ether);
    }

    function testFuzz_onlyTheOperatorUpdatesAndWithdraws(address sender) public {
        vm.assume(sender != operator);
        register(operator, 1 ether);
        deactivate();
        vm.startPrank(sender);
        vm.expectRevert(SolverRegistry.Unauthorized.selector);
        registry.updateSolver(1, "", 0, true);
        vm.expectRevert(SolverRegistry.Unauthorized.selector);
        registry.withdrawBond(1, 0);
    }

    function testFuzz_knowsNoSolverThatWasNotRegistered(uint256 solverId) public {
        vm.assume(solverId != 1);
        register(operator, 0);
        vm.startPrank(operator);
        vm.expectRevert(SolverRegistry.SolverNotFound.selector);
        registry.getSolver(solverId);
        vm.expectRevert(SolverRegistry.SolverNotFound.selector);
        registry.updateSolver(solverId, "", 0, true);
        vm.expectRevert(SolverRegistry.SolverNotFound.selector);
        registry.addBond{value: 1}(solverId);
        vm.expectRevert(SolverRegistry.SolverNotFound.selector);
        registry.withdrawBond(solverId, 0);
    }
}
