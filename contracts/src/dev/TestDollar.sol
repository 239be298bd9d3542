// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @title TestDollar
/// @notice A token for development and tests, worth nothing: anyone can mint any amount.
/// @dev An ERC-20 with transfers by authorization (EIP-3009), which is what x402 payments use. The overloads that take
///      the signature as bytes also accept signers that are contracts (ERC-1271).
contract TestDollar is ERC20, EIP712 {
    /// @notice The authorization was used for a transfer.
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    /// @notice The authorizer took the authorization back before it was used.
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    /// @notice The authorization holds only after `validAfter`.
    error AuthorizationNotYetValid(uint256 validAfter);
    /// @notice The authorization held only before `validBefore`.
    error AuthorizationExpired(uint256 validBefore);
    /// @notice The authorization was used or canceled.
    error AuthorizationUsedOrCanceled(address authorizer, bytes32 nonce);
    /// @notice The signature is malformed, malleable, or not the authorizer's.
    error InvalidSignature();
    /// @notice Only the payee can take a transfer with `receiveWithAuthorization`.
    error CallerIsNotPayee(address caller, address payee);

    /// @notice What the payer signs for anyone to submit.
    bytes32 public constant TRANSFER_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    /// @notice What the payer signs for the payee alone to submit.
    bytes32 public constant RECEIVE_WITH_AUTHORIZATION_TYPEHASH = keccak256(
        "ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
    );
    /// @notice What the payer signs to take an authorization back.
    bytes32 public constant CANCEL_AUTHORIZATION_TYPEHASH =
        keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");

    /// @dev One authorized transfer, gathered from the arguments to keep them off the stack.
    struct Authorization {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
    }

    mapping(address authorizer => mapping(bytes32 nonce => bool)) private spentNonces;

    constructor() ERC20("Test Dollar", "tUSD") EIP712("Test Dollar", "1") {}

    /// @notice Six, as with the dollar tokens it stands in for.
    function decimals() public pure override returns (uint8) {
        return 6;
    }

    /// @notice Makes new test dollars. Open to anyone: this token is for tests only.
    function mint(address account, uint256 amount) external {
        _mint(account, amount);
    }

    /// @notice The version in the domain of every signature, as dollar tokens report it.
    function version() external view returns (string memory) {
        return _EIP712Version();
    }

    /// @notice The domain of every signature, on this chain.
    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }

    /// @notice Whether the authorization was used or canceled.
    function authorizationState(address authorizer, bytes32 nonce) external view returns (bool) {
        return spentNonces[authorizer][nonce];
    }

    /// @notice Makes a transfer that `from` signed. Anyone may submit it.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        Authorization memory authorization = Authorization(from, to, value, validAfter, validBefore, nonce);
        _transfer(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, authorization, abi.encodePacked(r, s, v));
    }

    /// @notice Makes a transfer that `from`, an account with or without code, signed. Anyone may submit it.
    function transferWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        Authorization memory authorization = Authorization(from, to, value, validAfter, validBefore, nonce);
        _transfer(TRANSFER_WITH_AUTHORIZATION_TYPEHASH, authorization, signature);
    }

    /// @notice Takes a transfer that `from` signed, as its payee.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        if (msg.sender != to) revert CallerIsNotPayee(msg.sender, to);
        Authorization memory authorization = Authorization(from, to, value, validAfter, validBefore, nonce);
        _transfer(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, authorization, abi.encodePacked(r, s, v));
    }

    /// @notice Takes a transfer that `from`, an account with or without code, signed, as its payee.
    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes calldata signature
    ) external {
        if (msg.sender != to) revert CallerIsNotPayee(msg.sender, to);
        Authorization memory authorization = Authorization(from, to, value, validAfter, validBefore, nonce);
        _transfer(RECEIVE_WITH_AUTHORIZATION_TYPEHASH, authorization, signature);
    }

    /// @notice Takes an unused authorization back.
    function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s) external {
        _cancel(authorizer, nonce, abi.encodePacked(r, s, v));
    }

    /// @notice Takes an unused authorization of an account with or without code back.
    function cancelAuthorization(address authorizer, bytes32 nonce, bytes calldata signature) external {
        _cancel(authorizer, nonce, signature);
    }

    function _transfer(bytes32 typeHash, Authorization memory authorization, bytes memory signature) private {
        if (block.timestamp <= authorization.validAfter) revert AuthorizationNotYetValid(authorization.validAfter);
        if (block.timestamp >= authorization.validBefore) revert AuthorizationExpired(authorization.validBefore);
        bytes32 structHash = keccak256(abi.encode(typeHash, authorization));
        _useNonce(authorization.from, authorization.nonce, structHash, signature);
        emit AuthorizationUsed(authorization.from, authorization.nonce);
        _transfer(authorization.from, authorization.to, authorization.value);
    }

    function _cancel(address authorizer, bytes32 nonce, bytes memory signature) private {
        bytes32 structHash = keccak256(abi.encode(CANCEL_AUTHORIZATION_TYPEHASH, authorizer, nonce));
        _useNonce(authorizer, nonce, structHash, signature);
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function _useNonce(address authorizer, bytes32 nonce, bytes32 structHash, bytes memory signature) private {
        if (spentNonces[authorizer][nonce]) revert AuthorizationUsedOrCanceled(authorizer, nonce);
        bool signed = SignatureChecker.isValidSignatureNow(authorizer, _hashTypedDataV4(structHash), signature);
        if (!signed) revert InvalidSignature();
        spentNonces[authorizer][nonce] = true;
    }
}
