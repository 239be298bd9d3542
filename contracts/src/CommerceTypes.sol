// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @title CommerceTypes
/// @notice The words of the commerce registry: what it keeps, what its events say and why it refuses.
interface CommerceTypes {
    /// @notice How a dispute stands.
    enum DisputeStatus {
        OPEN,
        RESOLVED,
        REJECTED
    }

    /// @notice How a quote is to be paid. The last two are settled and receipted by a facilitator.
    enum PaymentRail {
        TRANSFER,
        SWAP,
        FACILITATOR,
        X402
    }

    /// @notice What a trust signal is about.
    enum SignalSubject {
        MERCHANT,
        SERVICE,
        FACILITATOR,
        AGENT
    }

    /// @notice What a trust signal says.
    enum SignalKind {
        VERIFICATION,
        RISK,
        COMPLIANCE,
        FULFILLMENT
    }

    /// @notice What a merchant commits to when it quotes a price.
    struct QuoteCommitment {
        uint256 merchantId;
        uint256 serviceNumericId;
        address agent;
        address token;
        address facilitator;
        uint256 amount;
        PaymentRail paymentRail;
        uint256 expiresAt;
        uint256 paymentNonce;
        bytes32 resourceHash;
        bytes32 termsHash;
        bytes32 x402PayloadHash;
    }

    /// @notice Who sells; only the owner changes it and quotes for it.
    struct Merchant {
        address owner;
        address payoutAddress;
        string metadataURI;
        bytes32 metadataHash;
        bool active;
    }

    /// @notice What a merchant sells. `serviceId` is the merchant's own name for it and need not be unique.
    struct Service {
        uint256 merchantId;
        string serviceId;
        string metadataURI;
        bytes32 metadataHash;
        bytes32 capabilityHash;
        bool active;
    }

    /// @notice Who settles payments for others.
    struct Facilitator {
        address facilitator;
        string metadataURI;
        bytes32 metadataHash;
        bool active;
    }

    /// @notice A committed quote and whether a receipt has settled it.
    struct Quote {
        uint256 merchantId;
        uint256 serviceNumericId;
        address agent;
        address token;
        address facilitator;
        uint256 amount;
        PaymentRail paymentRail;
        uint16 protocolFeeBps;
        uint256 protocolFeeAmount;
        uint256 expiresAt;
        uint256 paymentNonce;
        bytes32 resourceHash;
        bytes32 termsHash;
        bytes32 x402PayloadHash;
        bool settled;
    }

    /// @notice That a quote was paid. The fulfilment hash is zero until fulfilment is recorded.
    struct Receipt {
        bytes32 quoteHash;
        address agent;
        uint256 merchantId;
        uint256 serviceNumericId;
        address token;
        uint256 amount;
        PaymentRail paymentRail;
        uint16 protocolFeeBps;
        uint256 protocolFeeAmount;
        address facilitator;
        bytes32 resultHash;
        bytes32 resourceHash;
        bytes32 fulfillmentHash;
    }

    /// @notice A complaint about a receipt. The resolution hash is zero while it is open.
    struct Dispute {
        uint256 receiptId;
        address opener;
        bytes32 reasonHash;
        DisputeStatus status;
        bytes32 resolutionHash;
    }

    /// @notice What somebody says about a party. The subject need not exist.
    struct TrustSignal {
        SignalSubject subjectType;
        uint256 subjectId;
        SignalKind kind;
        address reporter;
        bytes32 signalHash;
    }

    /// @notice A merchant was registered by its owner, active from the start.
    event MerchantRegistered(
        uint256 indexed merchantId,
        address indexed owner,
        address indexed payoutAddress,
        string metadataURI,
        bytes32 metadataHash
    );
    /// @notice The owner replaced what is known of the merchant.
    event MerchantUpdated(
        uint256 indexed merchantId, address indexed payoutAddress, string metadataURI, bytes32 metadataHash, bool active
    );
    /// @notice A merchant offers a service, active from the start.
    event ServiceRegistered(
        uint256 indexed serviceNumericId,
        uint256 indexed merchantId,
        string serviceId,
        string metadataURI,
        bytes32 metadataHash,
        bytes32 capabilityHash
    );
    /// @notice The merchant's owner replaced what is known of the service.
    event ServiceUpdated(
        uint256 indexed serviceNumericId, string metadataURI, bytes32 metadataHash, bytes32 capabilityHash, bool active
    );
    /// @notice A facilitator was registered, or registered again: then the id is the one it has, and it is active again.
    event FacilitatorRegistered(
        uint256 indexed facilitatorId, address indexed facilitator, string metadataURI, bytes32 metadataHash
    );
    /// @notice What is known of the facilitator was replaced.
    event FacilitatorUpdated(
        uint256 indexed facilitatorId,
        address indexed facilitator,
        string metadataURI,
        bytes32 metadataHash,
        bool active
    );
    /// @notice A merchant committed to a quote, or to the same quote again: then it is unsettled again.
    event QuoteCommitted(
        bytes32 indexed quoteHash,
        uint256 indexed merchantId,
        uint256 indexed serviceNumericId,
        address agent,
        address token,
        address facilitator,
        uint256 amount,
        uint8 paymentRail,
        uint16 protocolFeeBps,
        uint256 protocolFeeAmount,
        uint256 expiresAt,
        uint256 paymentNonce,
        bytes32 resourceHash,
        bytes32 termsHash,
        bytes32 x402PayloadHash
    );
    /// @notice A quote was settled. The fulfilment hash is zero here; FulfillmentRecorded brings it.
    event ReceiptRecorded(
        uint256 indexed receiptId,
        bytes32 indexed quoteHash,
        address indexed agent,
        uint256 merchantId,
        uint256 serviceNumericId,
        address token,
        uint256 amount,
        uint8 paymentRail,
        uint16 protocolFeeBps,
        uint256 protocolFeeAmount,
        address facilitator,
        bytes32 resultHash,
        bytes32 resourceHash,
        bytes32 fulfillmentHash
    );
    /// @notice What was bought was delivered; recorded again, the later hash counts.
    event FulfillmentRecorded(uint256 indexed receiptId, bytes32 fulfillmentHash);
    /// @notice A party to the receipt complained.
    event DisputeOpened(
        uint256 indexed disputeId, uint256 indexed receiptId, address indexed opener, bytes32 reasonHash
    );
    /// @notice The dispute was decided; decided again, the later outcome counts.
    event DisputeResolved(uint256 indexed disputeId, uint8 status, bytes32 resolutionHash);
    /// @notice Somebody said something about a party, there or not.
    event TrustSignalRecorded(
        uint256 indexed signalId,
        uint8 indexed subjectType,
        uint256 indexed subjectId,
        uint8 kind,
        address reporter,
        bytes32 signalHash
    );

    /// @notice The sender may not do this. Nobody may set a dispute back to OPEN.
    error Unauthorized();
    /// @notice No merchant has this id.
    error MerchantNotFound();
    /// @notice No service has this id, or not with this merchant.
    error ServiceNotFound();
    /// @notice No facilitator has this id or address.
    error FacilitatorNotFound();
    /// @notice The quote's facilitator is set inactive.
    error FacilitatorInactive();
    /// @notice No quote with this hash was committed.
    error QuoteNotFound();
    /// @notice The quote's time is over.
    error QuoteExpired();
    /// @notice A receipt has settled the quote.
    error QuoteAlreadySettled();
    /// @notice No receipt has this id.
    error ReceiptNotFound();
    /// @notice No dispute has this id.
    error DisputeNotFound();
}
