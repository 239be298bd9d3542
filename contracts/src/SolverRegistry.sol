// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @title SolverRegistry
/// @notice Who solves intents as a service, and the bond, in the native coin, that stands behind it.
/// @dev Bidding and filling need no registration. Nobody can take a bond: it only says how much is at stake.
contract SolverRegistry is ReentrancyGuard {
    /// @notice One solver; its fills are those of its operator address.
    struct Solver {
        address operator;
        string metadataURI;
        bytes32 capabilitiesHash;
        uint256 bond;
        /// @dev The registry never changes the counters: indexers count fills from events.
        uint256 fills;
        uint256 successfulFills;
        uint256 failedFills;
        bool active;
    }

    /// @notice An operator registered as a solver, active from the start, with the coins it sent as its bond.
    event SolverRegistered(
        uint256 indexed solverId, address indexed operator, string metadataURI, bytes32 capabilitiesHash, uint256 bond
    );
    /// @notice The operator replaced what is known of the solver.
    event SolverUpdated(uint256 indexed solverId, string metadataURI, bytes32 capabilitiesHash, bool active);
    /// @notice The bond grew or shrank; `bond` is what it is now.
    event SolverBondChanged(uint256 indexed solverId, uint256 bond);

    /// @notice The sender does not operate the solver.
    error Unauthorized();
    /// @notice No solver has this id.
    error SolverNotFound();
    /// @notice The operator has registered before.
    error SolverAlreadyRegistered();
    /// @notice The bond is paid out only while the solver is inactive.
    error SolverInactive();

    uint256 private solverCount;
    mapping(uint256 solverId => Solver) private solvers;
    mapping(address operator => uint256 solverId) private solverByOperator;

    /// @notice Registers the sender as a solver, once per operator. The value sent is its bond.
    function registerSolver(string calldata metadataURI, bytes32 capabilitiesHash)
        external
        payable
        returns (uint256 solverId)
    {
        if (solverByOperator[msg.sender] != 0) revert SolverAlreadyRegistered();
        solverId = ++solverCount;
        solverByOperator[msg.sender] = solverId;
        solvers[solverId] = Solver({
            operator: msg.sender,
            metadataURI: metadataURI,
            capabilitiesHash: capabilitiesHash,
            bond: msg.value,
            fills: 0,
            successfulFills: 0,
            failedFills: 0,
            active: true
        });
        emit SolverRegistered(solverId, msg.sender, metadataURI, capabilitiesHash, msg.value);
    }

    /// @notice Replaces what is known of the sender's solver.
    function updateSolver(uint256 solverId, string calldata metadataURI, bytes32 capabilitiesHash, bool active)
        external
    {
        Solver storage solver = _operated(solverId);
        solver.metadataURI = metadataURI;
        solver.capabilitiesHash = capabilitiesHash;
        solver.active = active;
        emit SolverUpdated(solverId, metadataURI, capabilitiesHash, active);
    }

    /// @notice Adds the value sent to a solver's bond. Anyone may back a solver; only its operator can withdraw.
    function addBond(uint256 solverId) external payable {
        Solver storage solver = _existing(solverId);
        solver.bond += msg.value;
        emit SolverBondChanged(solverId, solver.bond);
    }

    /// @notice Pays a part of the bond of an inactive solver out to its operator. More than the bond is a panic.
    function withdrawBond(uint256 solverId, uint256 amount) external nonReentrant {
        Solver storage solver = _operated(solverId);
        if (solver.active) revert SolverInactive();
        solver.bond -= amount;
        emit SolverBondChanged(solverId, solver.bond);
        Address.sendValue(payable(msg.sender), amount);
    }

    /// @notice The solver with this id.
    function getSolver(uint256 solverId) external view returns (Solver memory) {
        return _existing(solverId);
    }

    /// @notice The id of the operator's solver, 0 when it has none.
    function getSolverByOperator(address operator) external view returns (uint256) {
        return solverByOperator[operator];
    }

    function _existing(uint256 solverId) private view returns (Solver storage solver) {
        solver = solvers[solverId];
        if (solver.operator == address(0)) revert SolverNotFound();
    }

    function _operated(uint256 solverId) private view returns (Solver storage solver) {
        solver = _existing(solverId);
        if (solver.operator != msg.sender) revert Unauthorized();
    }
}
