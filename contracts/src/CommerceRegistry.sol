// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {CommerceTypes} from "./CommerceTypes.sol";

/// @title CommerceRegistry
/// @notice Merchants, their services, the facilitators that settle for them, and the record of a purchase: the quote a
///         merchant commits to, the receipt, its fulfilment, its disputes, and what others signal about the parties.
/// @dev The registry moves no money and checks none: a receipt says what its recorder says. Strings and hashes are
///      taken as they are given.
contract CommerceRegistry is CommerceTypes {
    /// @notice The protocol's share of every quote, in basis points.
    uint16 public constant PROTOCOL_FEE_BPS = 0;
    uint256 private constant BPS = 10_000;

    uint256 private merchantCount;
    uint256 private serviceCount;
    uint256 private facilitatorCount;
    uint256 private receiptCount;
    uint256 private disputeCount;
    uint256 private signalCount;
    mapping(uint256 merchantId => Merchant) private merchants;
    mapping(uint256 serviceNumericId => Service) private services;
    mapping(uint256 facilitatorId => Facilitator) private facilitators;
    mapping(address facilitator => uint256 facilitatorId) private facilitatorIds;
    /// @dev Who registered a facilitator. The registrant speaks for it, and so does its own address.
    mapping(uint256 facilitatorId => address) private registrants;
    mapping(bytes32 quoteHash => Quote) private quotes;
    mapping(uint256 receiptId => Receipt) private receipts;
    mapping(uint256 disputeId => Dispute) private disputes;
    mapping(uint256 signalId => TrustSignal) private trustSignals;

    /// @notice Registers a merchant that the sender owns. An owner may have any number of them.
    function registerMerchant(address payoutAddress, string calldata metadataURI, bytes32 metadataHash)
        external
        returns (uint256 merchantId)
    {
        merchantId = ++merchantCount;
        merchants[merchantId] = Merchant({
            owner: msg.sender,
            payoutAddress: payoutAddress,
            metadataURI: metadataURI,
            metadataHash: metadataHash,
            active: true
        });
        emit MerchantRegistered(merchantId, msg.sender, payoutAddress, metadataURI, metadataHash);
    }

    /// @notice Replaces what is known of the sender's merchant.
    function updateMerchant(
        uint256 merchantId,
        address payoutAddress,
        string calldata metadataURI,
        bytes32 metadataHash,
        bool active
    ) external {
        Merchant storage merchant = _ownMerchant(merchantId);
        merchant.payoutAddress = payoutAddress;
        merchant.metadataURI = metadataURI;
        merchant.metadataHash = metadataHash;
        merchant.active = active;
        emit MerchantUpdated(merchantId, payoutAddress, metadataURI, metadataHash, active);
    }

    /// @notice Registers a service of the sender's merchant. The same `serviceId` again is another service.
    function registerService(
        uint256 merchantId,
        string calldata serviceId,
        string calldata metadataURI,
        bytes32 metadataHash,
        bytes32 capabilityHash
    ) external returns (uint256 serviceNumericId) {
        _ownMerchant(merchantId);
        serviceNumericId = ++serviceCount;
        services[serviceNumericId] = Service({
            merchantId: merchantId,
            serviceId: serviceId,
            metadataURI: metadataURI,
            metadataHash: metadataHash,
            capabilityHash: capabilityHash,
            active: true
        });
        emit ServiceRegistered(serviceNumericId, merchantId, serviceId, metadataURI, metadataHash, capabilityHash);
    }

    /// @notice Replaces what is known of a service of the sender's merchant.
    function updateService(
        uint256 serviceNumericId,
        string calldata metadataURI,
        bytes32 metadataHash,
        bytes32 capabilityHash,
        bool active
    ) external {
        Service storage service = _service(serviceNumericId);
        _ownMerchant(service.merchantId);
        service.metadataURI = metadataURI;
        service.metadataHash = metadataHash;
        service.capabilityHash = capabilityHash;
        service.active = active;
        emit ServiceUpdated(serviceNumericId, metadataURI, metadataHash, capabilityHash, active);
    }

    /// @notice Registers a facilitator by its address. Registered again, it keeps its id and is active again.
    /// @dev Anyone may register an address first. Again may only who speaks for it, and when the address itself does,
    ///      the entry is its own from then on.
    function registerFacilitator(address facilitator, string calldata metadataURI, bytes32 metadataHash)
        external
        returns (uint256 facilitatorId)
    {
        facilitatorId = facilitatorIds[facilitator];
        if (facilitatorId == 0) {
            facilitatorId = ++facilitatorCount;
            facilitatorIds[facilitator] = facilitatorId;
        } else {
            _spokenFor(facilitatorId);
        }
        registrants[facilitatorId] = msg.sender;
        facilitators[facilitatorId] = Facilitator({
            facilitator: facilitator, metadataURI: metadataURI, metadataHash: metadataHash, active: true
        });
        emit FacilitatorRegistered(facilitatorId, facilitator, metadataURI, metadataHash);
    }

    /// @notice Replaces what is known of a facilitator, as its registrant or from its own address.
    function updateFacilitator(uint256 facilitatorId, string calldata metadataURI, bytes32 metadataHash, bool active)
        external
    {
        Facilitator storage facilitator = _spokenFor(facilitatorId);
        facilitator.metadataURI = metadataURI;
        facilitator.metadataHash = metadataHash;
        facilitator.active = active;
        emit FacilitatorUpdated(facilitatorId, facilitator.facilitator, metadataURI, metadataHash, active);
    }

    /// @notice Commits the sender's merchant to a quote. Committed again, the same quote is unsettled again.
    function commitQuote(QuoteCommitment calldata commitment) external returns (bytes32 quoteHash) {
        _ownMerchant(commitment.merchantId);
        if (_service(commitment.serviceNumericId).merchantId != commitment.merchantId) revert ServiceNotFound();
        if (commitment.expiresAt <= block.timestamp) revert QuoteExpired();
        if (_needsFacilitator(commitment.paymentRail)) _requireActiveFacilitator(commitment.facilitator);

        quoteHash = _quoteHash(commitment);
        Quote storage quote = quotes[quoteHash];
        quote.merchantId = commitment.merchantId;
        quote.serviceNumericId = commitment.serviceNumericId;
        quote.agent = commitment.agent;
        quote.token = commitment.token;
        quote.facilitator = commitment.facilitator;
        quote.amount = commitment.amount;
        quote.paymentRail = commitment.paymentRail;
        quote.protocolFeeBps = PROTOCOL_FEE_BPS;
        quote.protocolFeeAmount = _protocolFee(commitment.amount);
        quote.expiresAt = commitment.expiresAt;
        quote.paymentNonce = commitment.paymentNonce;
        quote.resourceHash = commitment.resourceHash;
        quote.termsHash = commitment.termsHash;
        quote.x402PayloadHash = commitment.x402PayloadHash;
        quote.settled = false;
        _emitQuoteCommitted(quoteHash, quote);
    }

    /// @notice Settles a quote: by its facilitator on the rails that need one, else by the merchant's owner or the agent.
    function recordReceipt(bytes32 quoteHash, bytes32 resultHash) external returns (uint256 receiptId) {
        Quote storage quote = _quote(quoteHash);
        if (quote.settled) revert QuoteAlreadySettled();
        if (block.timestamp > quote.expiresAt) revert QuoteExpired();
        if (_needsFacilitator(quote.paymentRail)) {
            if (msg.sender != quote.facilitator) revert Unauthorized();
            _requireActiveFacilitator(quote.facilitator);
        } else if (msg.sender != merchants[quote.merchantId].owner && msg.sender != quote.agent) {
            revert Unauthorized();
        }

        quote.settled = true;
        receiptId = ++receiptCount;
        receipts[receiptId] = Receipt({
            quoteHash: quoteHash,
            agent: quote.agent,
            merchantId: quote.merchantId,
            serviceNumericId: quote.serviceNumericId,
            token: quote.token,
            amount: quote.amount,
            paymentRail: quote.paymentRail,
            protocolFeeBps: quote.protocolFeeBps,
            protocolFeeAmount: quote.protocolFeeAmount,
            facilitator: quote.facilitator,
            resultHash: resultHash,
            resourceHash: quote.resourceHash,
            fulfillmentHash: bytes32(0)
        });
        _emitReceiptRecorded(receiptId, receipts[receiptId]);
    }

    /// @notice Records the delivery of what a receipt was paid for, as the merchant's owner or the facilitator that
    ///         receipted it. Recorded again, the later hash counts.
    function recordFulfillment(uint256 receiptId, bytes32 fulfillmentHash) external {
        Receipt storage receipt = _receipt(receiptId);
        bool facilitates = _needsFacilitator(receipt.paymentRail) && msg.sender == receipt.facilitator;
        if (!facilitates && msg.sender != merchants[receipt.merchantId].owner) revert Unauthorized();
        receipt.fulfillmentHash = fulfillmentHash;
        emit FulfillmentRecorded(receiptId, fulfillmentHash);
    }

    /// @notice Complains about a receipt, as its agent or the merchant's owner. A receipt may have many disputes.
    function openDispute(uint256 receiptId, bytes32 reasonHash) external returns (uint256 disputeId) {
        Receipt storage receipt = _receipt(receiptId);
        if (msg.sender != receipt.agent && msg.sender != merchants[receipt.merchantId].owner) revert Unauthorized();
        disputeId = ++disputeCount;
        disputes[disputeId] = Dispute({
            receiptId: receiptId,
            opener: msg.sender,
            reasonHash: reasonHash,
            status: DisputeStatus.OPEN,
            resolutionHash: bytes32(0)
        });
        emit DisputeOpened(disputeId, receiptId, msg.sender, reasonHash);
    }

    /// @notice Decides a dispute, as the owner of the receipt's merchant. Decided again, the later outcome counts.
    function resolveDispute(uint256 disputeId, DisputeStatus status, bytes32 resolutionHash) external {
        Dispute storage dispute = _dispute(disputeId);
        if (msg.sender != merchants[receipts[dispute.receiptId].merchantId].owner) revert Unauthorized();
        if (status == DisputeStatus.OPEN) revert Unauthorized();
        dispute.status = status;
        dispute.resolutionHash = resolutionHash;
        emit DisputeResolved(disputeId, uint8(status), resolutionHash);
    }

    /// @notice Says something about a party. Anyone may, about any id.
    function recordTrustSignal(SignalSubject subjectType, uint256 subjectId, SignalKind kind, bytes32 signalHash)
        external
        returns (uint256 signalId)
    {
        signalId = ++signalCount;
        trustSignals[signalId] = TrustSignal({
            subjectType: subjectType,
            subjectId: subjectId,
            kind: kind,
            reporter: msg.sender,
            signalHash: signalHash
        });
        emit TrustSignalRecorded(signalId, uint8(subjectType), subjectId, uint8(kind), msg.sender, signalHash);
    }

    /// @notice The hash that names a quote: what is sold, how it is paid, the fee, this registry and this chain.
    function computeQuoteHash(QuoteCommitment calldata commitment) external view returns (bytes32) {
        return _quoteHash(commitment);
    }

    /// @notice The same hash, for callers that pass the fields of the quote as arguments.
    function computeQuoteHash(
        uint256 merchantId,
        uint256 serviceNumericId,
        address agent,
        address token,
        address facilitator,
        uint256 amount,
        PaymentRail paymentRail,
        uint256 expiresAt,
        uint256 paymentNonce,
        bytes32 resourceHash,
        bytes32 termsHash,
        bytes32 x402PayloadHash
    ) external view returns (bytes32) {
        QuoteCommitment memory commitment;
        commitment.merchantId = merchantId;
        commitment.serviceNumericId = serviceNumericId;
        commitment.agent = agent;
        commitment.token = token;
        commitment.facilitator = facilitator;
        commitment.amount = amount;
        commitment.paymentRail = paymentRail;
        commitment.expiresAt = expiresAt;
        commitment.paymentNonce = paymentNonce;
        commitment.resourceHash = resourceHash;
        commitment.termsHash = termsHash;
        commitment.x402PayloadHash = x402PayloadHash;
        return _quoteHash(commitment);
    }

    /// @notice The merchant with this id.
    function getMerchant(uint256 merchantId) external view returns (Merchant memory) {
        return _merchant(merchantId);
    }

    /// @notice The service with this numeric id.
    function getService(uint256 serviceNumericId) external view returns (Service memory) {
        return _service(serviceNumericId);
    }

    /// @notice The facilitator with this id.
    function getFacilitator(uint256 facilitatorId) external view returns (Facilitator memory) {
        return _facilitator(facilitatorId);
    }

    /// @notice The quote with this hash. Reverts with QuoteNotFound when none was committed.
    function getQuote(bytes32 quoteHash) external view returns (Quote memory) {
        return _quote(quoteHash);
    }

    /// @notice The receipt with this id.
    function getReceipt(uint256 receiptId) external view returns (Receipt memory) {
        return _receipt(receiptId);
    }

    /// @notice The dispute with this id.
    function getDispute(uint256 disputeId) external view returns (Dispute memory) {
        return _dispute(disputeId);
    }

    /// @notice The trust signal with this id; its reporter is the zero address when there is none.
    function getTrustSignal(uint256 signalId) external view returns (TrustSignal memory) {
        return trustSignals[signalId];
    }

    function _merchant(uint256 merchantId) private view returns (Merchant storage merchant) {
        merchant = merchants[merchantId];
        if (merchant.owner == address(0)) revert MerchantNotFound();
    }

    function _ownMerchant(uint256 merchantId) private view returns (Merchant storage merchant) {
        merchant = _merchant(merchantId);
        if (merchant.owner != msg.sender) revert Unauthorized();
    }

    function _service(uint256 serviceNumericId) private view returns (Service storage service) {
        service = services[serviceNumericId];
        if (service.merchantId == 0) revert ServiceNotFound();
    }

    function _facilitator(uint256 facilitatorId) private view returns (Facilitator storage facilitator) {
        facilitator = facilitators[facilitatorId];
        if (registrants[facilitatorId] == address(0)) revert FacilitatorNotFound();
    }

    function _spokenFor(uint256 facilitatorId) private view returns (Facilitator storage facilitator) {
        facilitator = _facilitator(facilitatorId);
        if (msg.sender != registrants[facilitatorId] && msg.sender != facilitator.facilitator) revert Unauthorized();
    }

    function _quote(bytes32 quoteHash) private view returns (Quote storage quote) {
        quote = quotes[quoteHash];
        if (quote.merchantId == 0) revert QuoteNotFound();
    }

    function _receipt(uint256 receiptId) private view returns (Receipt storage receipt) {
        receipt = receipts[receiptId];
        if (receipt.quoteHash == bytes32(0)) revert ReceiptNotFound();
    }

    function _dispute(uint256 disputeId) private view returns (Dispute storage dispute) {
        dispute = disputes[disputeId];
        if (dispute.opener == address(0)) revert DisputeNotFound();
    }

    function _needsFacilitator(PaymentRail rail) private pure returns (bool) {
        return rail == PaymentRail.FACILITATOR || rail == PaymentRail.X402;
    }

    function _requireActiveFacilitator(address facilitator) private view {
        if (!_facilitator(facilitatorIds[facilitator]).active) revert FacilitatorInactive();
    }

    function _quoteHash(QuoteCommitment memory commitment) private view returns (bytes32) {
        bytes32 sale = keccak256(
            abi.encode(
                commitment.merchantId, commitment.serviceNumericId, commitment.resourceHash, commitment.termsHash
            )
        );
        bytes32 payment = keccak256(
            abi.encode(
                commitment.agent,
                commitment.token,
                commitment.facilitator,
                commitment.amount,
                commitment.paymentRail,
                commitment.expiresAt,
                commitment.paymentNonce,
                commitment.x402PayloadHash
            )
        );
        uint256 feeAmount = _protocolFee(commitment.amount);
        return keccak256(abi.encode(block.chainid, address(this), sale, payment, PROTOCOL_FEE_BPS, feeAmount));
    }

    function _protocolFee(uint256 amount) private pure returns (uint256) {
        return Math.mulDiv(amount, PROTOCOL_FEE_BPS, BPS);
    }

    function _emitQuoteCommitted(bytes32 quoteHash, Quote storage quote) private {
        emit QuoteCommitted(
            quoteHash,
            quote.merchantId,
            quote.serviceNumericId,
            quote.agent,
            quote.token,
            quote.facilitator,
            quote.amount,
            uint8(quote.paymentRail),
            quote.protocolFeeBps,
            quote.protocolFeeAmount,
            quote.expiresAt,
            quote.paymentNonce,
            quote.resourceHash,
            quote.termsHash,
            quote.x402PayloadHash
        );
    }

    function _emitReceiptRecorded(uint256 receiptId, Receipt storage receipt) private {
        emit ReceiptRecorded(
            receiptId,
            receipt.quoteHash,
            receipt.agent,
            receipt.merchantId,
            receipt.serviceNumericId,
            receipt.token,
            receipt.amount,
            uint8(receipt.paymentRail),
            receipt.protocolFeeBps,
            receipt.protocolFeeAmount,
            receipt.facilitator,
            receipt.resultHash,
            receipt.resourceHash,
            receipt.fulfillmentHash
        );
    }
}
