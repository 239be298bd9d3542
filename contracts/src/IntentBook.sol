// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {AttestationRegistry} from "./AttestationRegistry.sol";

/// @title IntentBook
/// @notice Signed intents, the bids of solvers on them, the owner's selection, and the fill by the selected solver.
/// @dev The book moves no tokens. It records that a fill kept to what the owner signed and to what the solver bid.
///      Expiry is a matter of time alone: an intent past its deadline stays OPEN in storage, and no event says so.
contract IntentBook is EIP712 {
    /// @notice The stored state of an intent. EXPIRED is never stored; readers derive it from the deadline.
    enum IntentStatus {
        OPEN,
        FILLED,
        CANCELLED,
        EXPIRED
    }

    /// @notice What kind of trade an intent asks for.
    enum IntentType {
        SWAP_EXACT_IN_MAX_SLIPPAGE
    }

    /// @notice The limits every bid and fill must keep to.
    struct Constraints {
        uint256 amountInMax;
        uint256 amountOutMin;
        uint256 deadline;
        uint16 slippageBps;
    }

    /// @notice What the owner commits the execution to. A zero member asks for nothing.
    struct ExecutionRequirements {
        address target;
        bytes32 dataHash;
        bytes32 requiredAttestationSubject;
        bytes32 requiredAttestationSchema;
        bytes32 metadataURIHash;
    }

    /// @notice What the owner signs.
    struct Intent {
        address owner;
        IntentType intentType;
        Constraints constraints;
        ExecutionRequirements execution;
        address inputToken;
        address outputToken;
        uint256 nonce;
    }

    /// @notice What the solver states when it fills an intent.
    struct Fill {
        uint256 amountIn;
        uint256 amountOut;
        address solver;
        bytes executionData;
        bytes32 resultHash;
        bytes32 traceHash;
        uint256 attestationId;
    }

    /// @notice One solver's offer on one intent.
    struct SolverBid {
        address solver;
        uint256 amountIn;
        uint256 amountOut;
        uint256 fee;
        uint256 validUntil;
        bytes32 executionHash;
        bool selected;
        bool exists;
    }

    /// @notice A signed intent entered the book.
    event IntentSubmitted(uint256 indexed intentId, address indexed owner, uint256 nonce);
    /// @notice The owner withdrew an open intent.
    event IntentCancelled(uint256 indexed intentId);
    /// @notice The selected solver filled the intent.
    event IntentFilled(uint256 indexed intentId, address indexed solver, uint256 amountIn, uint256 amountOut);
    /// @notice What the solver shows for the fill; follows every IntentFilled.
    event IntentFillProof(
        uint256 indexed intentId, bytes32 resultHash, bytes32 traceHash, uint256 indexed attestationId
    );
    /// @notice A solver made an offer. Bid ids count from 1 within each intent.
    event SolverBidSubmitted(
        uint256 indexed intentId,
        uint256 indexed bidId,
        address indexed solver,
        uint256 amountIn,
        uint256 amountOut,
        uint256 fee,
        uint256 validUntil,
        bytes32 executionHash
    );
    /// @notice The owner chose this bid; a bid it chose before is no longer selected.
    event SolverBidSelected(uint256 indexed intentId, uint256 indexed bidId, address indexed solver);

    /// @notice The sender is neither the intent's owner nor, for a fill, the solver of the selected bid.
    error Unauthorized();
    /// @notice The owner has used this nonce before.
    error InvalidNonce();
    /// @notice The intent's deadline has come.
    error IntentExpired();
    /// @notice The intent is filled, cancelled, or not there.
    error IntentNotOpen();
    /// @notice The amounts break the intent's limits or, in a fill, differ from those of the bid.
    error ConstraintViolation();
    /// @notice The slippage is more than the whole: over 10000 basis points.
    error InvalidSlippage();
    /// @notice An intent must have its deadline in the future.
    error InvalidDeadline();
    /// @notice The signature is malformed, malleable, or not the owner's.
    error InvalidSignature();
    /// @notice A bid must hold for some time yet, and no longer than the intent.
    error InvalidBid();
    /// @notice The intent has no bid with this id.
    error BidNotFound();
    /// @notice The selected bid no longer holds.
    error BidExpired();
    /// @notice The fill names another solver than the selected bid.
    error BidNotSelected();
    /// @notice The owner has not selected any bid yet.
    error SelectedBidRequired();
    /// @notice The bid executes something else than the intent commits to.
    error ExecutionCommitmentMismatch();
    /// @notice The attestation that the intent requires is missing, revoked, or about something else.
    error RequiredAttestationMissing();

    bytes32 private constant CONSTRAINTS_TYPEHASH =
        keccak256("Constraints(uint256 amountInMax,uint256 amountOutMin,uint256 deadline,uint16 slippageBps)");
    bytes32 private constant EXECUTION_TYPEHASH = keccak256(
        "ExecutionRequirements(address target,bytes32 dataHash,bytes32 requiredAttestationSubject,bytes32 requiredAttestationSchema,bytes32 metadataURIHash)"
    );
    bytes32 private constant INTENT_TYPEHASH = keccak256(
        "Intent(address owner,uint8 intentType,Constraints constraints,ExecutionRequirements execution,address inputToken,address outputToken,uint256 nonce)Constraints(uint256 amountInMax,uint256 amountOutMin,uint256 deadline,uint16 slippageBps)ExecutionRequirements(address target,bytes32 dataHash,bytes32 requiredAttestationSubject,bytes32 requiredAttestationSchema,bytes32 metadataURIHash)"
    );
    uint16 private constant MAX_SLIPPAGE_BPS = 10_000;

    AttestationRegistry private immutable ATTESTATIONS;

    uint256 private intentCount;
    mapping(uint256 intentId => Intent) private intents;
    mapping(uint256 intentId => IntentStatus) private statuses;
    mapping(address owner => mapping(uint256 nonce => bool)) private nonceUsed;
    mapping(uint256 intentId => uint256) private bidCounts;
    mapping(uint256 intentId => mapping(uint256 bidId => SolverBid)) private bids;
    mapping(uint256 intentId => uint256 bidId) private selectedBids;

    /// @param attestationRegistry Where required attestations are looked up.
    constructor(address attestationRegistry) EIP712("AgentIntentBook", "1") {
        ATTESTATIONS = AttestationRegistry(attestationRegistry);
    }

    /// @notice Enters an intent into the book. Anyone may relay it; the owner's signature is what counts.
    function submitIntent(Intent calldata intent, uint8 v, bytes32 r, bytes32 s) external returns (uint256 intentId) {
        if (intent.constraints.deadline <= block.timestamp) revert InvalidDeadline();
        if (intent.constraints.slippageBps > MAX_SLIPPAGE_BPS) revert InvalidSlippage();
        if (nonceUsed[intent.owner][intent.nonce]) revert InvalidNonce();
        (address signer, ECDSA.RecoverError failure,) = ECDSA.tryRecover(_hashTypedDataV4(_hashIntent(intent)), v, r, s);
        if (failure != ECDSA.RecoverError.NoError || signer != intent.owner) revert InvalidSignature();

        nonceUsed[intent.owner][intent.nonce] = true;
        intentId = ++intentCount;
        intents[intentId] = intent;
        emit IntentSubmitted(intentId, intent.owner, intent.nonce);
    }

    /// @notice Withdraws an open intent, also one past its deadline.
    function cancelIntent(uint256 intentId) external {
        _open(intentId, msg.sender);
        statuses[intentId] = IntentStatus.CANCELLED;
        emit IntentCancelled(intentId);
    }

    /// @notice Offers to fill an intent with these amounts until `validUntil`. Anyone may bid, any number of times.
    function submitBid(
        uint256 intentId,
        uint256 amountIn,
        uint256 amountOut,
        uint256 fee,
        uint256 validUntil,
        bytes32 executionHash
    ) external returns (uint256 bidId) {
        Constraints storage constraints = _openBeforeDeadline(intentId).constraints;
        if (validUntil <= block.timestamp || validUntil > constraints.deadline) revert InvalidBid();
        if (amountIn > constraints.amountInMax || amountOut < constraints.amountOutMin) revert ConstraintViolation();

        bidId = ++bidCounts[intentId];
        bids[intentId][bidId] = SolverBid({
            solver: msg.sender,
            amountIn: amountIn,
            amountOut: amountOut,
            fee: fee,
            validUntil: validUntil,
            executionHash: executionHash,
            selected: false,
            exists: true
        });
        emit SolverBidSubmitted(intentId, bidId, msg.sender, amountIn, amountOut, fee, validUntil, executionHash);
    }

    /// @notice Chooses the bid that may fill the intent, in place of any bid chosen before.
    /// @dev Whether the bid still holds is checked when it fills.
    function selectBid(uint256 intentId, uint256 bidId) external {
        _open(intentId, msg.sender);
        SolverBid storage bid = bids[intentId][bidId];
        if (!bid.exists) revert BidNotFound();

        bids[intentId][selectedBids[intentId]].selected = false;
        bid.selected = true;
        selectedBids[intentId] = bidId;
        emit SolverBidSelected(intentId, bidId, bid.solver);
    }

    /// @notice Records the fill of an intent by the solver of its selected bid, exactly as bid.
    function fillIntent(uint256 intentId, Fill calldata fill) external {
        Intent storage intent = _openBeforeDeadline(intentId);
        uint256 bidId = selectedBids[intentId];
        if (bidId == 0) revert SelectedBidRequired();
        SolverBid storage bid = bids[intentId][bidId];
        if (block.timestamp > bid.validUntil) revert BidExpired();
        if (msg.sender != bid.solver) revert Unauthorized();
        if (fill.solver != bid.solver) revert BidNotSelected();
        if (fill.amountIn != bid.amountIn || fill.amountOut != bid.amountOut) revert ConstraintViolation();
        bytes32 dataHash = intent.execution.dataHash;
        if (dataHash != bytes32(0) && dataHash != bid.executionHash) revert ExecutionCommitmentMismatch();
        _requireAttestation(intent.execution, fill.attestationId);

        statuses[intentId] = IntentStatus.FILLED;
        emit IntentFilled(intentId, fill.solver, fill.amountIn, fill.amountOut);
        emit IntentFillProof(intentId, fill.resultHash, fill.traceHash, fill.attestationId);
    }

    /// @notice The intent as it was signed; all zero for an id that was never given.
    function getIntent(uint256 intentId) external view returns (Intent memory) {
        return intents[intentId];
    }

    /// @notice The stored status: OPEN also past the deadline, and for an id that was never given.
    function getIntentStatus(uint256 intentId) external view returns (IntentStatus) {
        return statuses[intentId];
    }

    /// @notice The bid with this id on this intent; `exists` is false when there is none.
    function getBid(uint256 intentId, uint256 bidId) external view returns (SolverBid memory) {
        return bids[intentId][bidId];
    }

    /// @notice The id of the bid the owner selected last, 0 while there is none.
    function getSelectedBid(uint256 intentId) external view returns (uint256) {
        return selectedBids[intentId];
    }

    function _openBeforeDeadline(uint256 intentId) private view returns (Intent storage intent) {
        intent = intents[intentId];
        if (intent.owner == address(0) || statuses[intentId] != IntentStatus.OPEN) revert IntentNotOpen();
        if (block.timestamp >= intent.constraints.deadline) revert IntentExpired();
    }

    /// @dev An intent that was never given has no owner, so nobody is authorized to it.
    function _open(uint256 intentId, address owner) private view {
        if (intents[intentId].owner != owner) revert Unauthorized();
        if (statuses[intentId] != IntentStatus.OPEN) revert IntentNotOpen();
    }

    /// @dev Of the required subject and schema, each that is not zero must be the attestation's.
    function _requireAttestation(ExecutionRequirements storage required, uint256 attestationId) private view {
        bytes32 subject = required.requiredAttestationSubject;
        bytes32 schema = required.requiredAttestationSchema;
        if (subject == bytes32(0) && schema == bytes32(0)) return;
        try ATTESTATIONS.getAttestation(attestationId) returns (AttestationRegistry.Attestation memory attestation) {
            if (attestation.revoked) revert RequiredAttestationMissing();
            if (subject != bytes32(0) && attestation.subject != subject) revert RequiredAttestationMissing();
            if (schema != bytes32(0) && attestation.schema != schema) revert RequiredAttestationMissing();
        } catch {
            revert RequiredAttestationMissing();
        }
    }

    /// @dev The EIP-712 struct hash: the intent's hash outside the chain, before the domain comes in.
    function _hashIntent(Intent calldata intent) private pure returns (bytes32) {
        return keccak256(
            abi.encode(
                INTENT_TYPEHASH,
                intent.owner,
                intent.intentType,
                keccak256(abi.encode(CONSTRAINTS_TYPEHASH, intent.constraints)),
                keccak256(abi.encode(EXECUTION_TYPEHASH, intent.execution)),
                intent.inputToken,
                intent.outputToken,
                intent.nonce
            )
        );
    }
}
