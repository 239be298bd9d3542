// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {AgentRegistry} from "../src/AgentRegistry.sol";
import {SolverRegistry} from "../src/SolverRegistry.sol";
import {Multicall} from "../src/dev/Multicall.sol";
import {Test} from "./Test.sol";

contract MulticallTest is Test {
    Multicall private multicall;
    AgentRegistry private agents;
    SolverRegistry private solvers;

    function setUp() public override {
        super.setUp();
        multicall = new Multicall();
        agents = new AgentRegistry();
        solvers = new SolverRegistry();
    }

    function register(string memory uri) private view returns (Multicall.Call memory) {
        return Multicall.Call(address(agents), 0, abi.encodeCall(AgentRegistry.registerAgent, (uri, "", 0)));
    }

    function test_makesTheCallsInOrderAndReturnsWhatTheyReturned() public {
        Multicall.Call[] memory calls = new Multicall.Call[](2);
        (calls[0], calls[1]) = (register("first"), register("second"));
        bytes[] memory results = multicall.aggregate(calls);
        vm.assertEq(results[0], abi.encode(1));
        vm.assertEq(results[1], abi.encode(2));
        vm.assertEq(agents.getAgent(2).metadataURI, "second");
        vm.assertEq(agents.getAgent(2).owner, address(multicall));
    }

    function test_carriesTheNativeCoin() public {
        vm.deal(address(this), 3 ether);
        Multicall.Call[] memory calls = new Multicall.Call[](3);
        calls[0] = Multicall.Call(address(solvers), 2 ether, abi.encodeCall(SolverRegistry.registerSolver, ("", 0)));
        calls[1] = Multicall.Call(address(solvers), 0, abi.encodeCall(SolverRegistry.updateSolver, (1, "", 0, false)));
        calls[2] = Multicall.Call(address(solvers), 0, abi.encodeCall(SolverRegistry.withdrawBond, (1, 1 ether)));
        multicall.aggregate{value: 3 ether}(calls);
        vm.assertEq(solvers.getSolver(1).bond, 1 ether);
        vm.assertEq(address(multicall).balance, 2 ether);
    }

    function test_passesTheFirstRevertOnAndUndoesAll() public {
        Multicall.Call[] memory calls = new Multicall.Call[](2);
        calls[0] = register("first");
        calls[1] = Multicall.Call(address(agents), 0, abi.encodeCall(AgentRegistry.revokeAgent, (7)));
        vm.expectRevert(AgentRegistry.AgentNotFound.selector);
        multicall.aggregate(calls);
        vm.assertEq(agents.getAgentsByOwner(address(multicall)), new uint256[](0));
    }
}
