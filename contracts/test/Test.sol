// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// @notice The cheatcodes of forge's virtual machine that these tests use.
interface Vm {
    /// @dev One log: its topics, its data, and the contract it came from.
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function prank(address sender) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function deal(address account, uint256 balance) external;
    function warp(uint256 timestamp) external;
    function chainId(uint256 id) external;
    function addr(uint256 privateKey) external pure returns (address);
    function sign(uint256 privateKey, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function assume(bool condition) external pure;
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function expectEmit(address emitter) external;
    function expectRevert() external;
    function expectRevert(bytes4 errorSelector) external;
    function expectRevert(bytes calldata errorData) external;
    function assertTrue(bool condition) external pure;
    function assertFalse(bool condition) external pure;
    function assertEq(bool left, bool right) external pure;
    function assertEq(uint256 left, uint256 right) external pure;
    function assertEq(address left, address right) external pure;
    function assertEq(bytes32 left, bytes32 right) external pure;
    function assertEq(string calldata left, string calldata right) external pure;
    function assertEq(bytes calldata left, bytes calldata right) external pure;
    function assertEq(uint256[] calldata left, uint256[] calldata right) external pure;
    function assertLt(uint256 left, uint256 right) external pure;
    function assertLe(uint256 left, uint256 right) external pure;
    function assertGe(uint256 left, uint256 right) external pure;
}

/// @notice What every test contract shares: the virtual machine, a clock that starts at a real time, and named actors.
abstract contract Test {
    /// @dev What forge's invariant runner reads from `targetSelectors()`.
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    uint256 internal constant START = 1_750_000_000;
    uint256 internal constant CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    function setUp() public virtual {
        vm.warp(START);
    }

    /// @dev The private key that belongs to a name.
    function key(string memory name) internal pure returns (uint256) {
        return uint256(keccak256(bytes(name))) % CURVE_ORDER;
    }

    /// @dev The address that belongs to a name.
    function actor(string memory name) internal pure returns (address) {
        return vm.addr(key(name));
    }

    /// @dev A fuzzed value brought into a range, both ends included.
    function bound(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        if (value >= min && value <= max) return value;
        return min + value % (max - min + 1);
    }

    function panic() internal pure returns (bytes memory) {
        return abi.encodeWithSignature("Panic(uint256)", 0x11);
    }

    /// @dev The other signature that ECDSA itself would accept: s on the far side of the curve order.
    function malleate(uint8 v, bytes32 s) internal pure returns (uint8, bytes32) {
        return (v == 27 ? 28 : 27, bytes32(CURVE_ORDER - uint256(s)));
    }

    function domainSeparator(string memory name, uint256 chain, address verifyingContract)
        internal
        pure
        returns (bytes32)
    {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name)),
                keccak256("1"),
                chain,
                verifyingContract
            )
        );
    }

    function typedDataHash(bytes32 domain, bytes32 structHash) internal pure returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domain, structHash));
    }
}
