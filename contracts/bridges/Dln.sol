// SPDX-License-Identifier: Apache-2.0
// Limit orders from one local chain to another, written from the published interface of deBridge DLN: what is given
// stays at the source until the other side says that the order was filled or cancelled. For local chains only.
pragma solidity 0.8.37;

import {SetUpOnce} from "./Cctp.sol";

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

struct Order {
    uint64 makerOrderNonce;
    bytes makerSrc;
    uint256 giveChainId;
    bytes giveTokenAddress;
    uint256 giveAmount;
    uint256 takeChainId;
    bytes takeTokenAddress;
    uint256 takeAmount;
    bytes receiverDst;
    bytes givePatchAuthoritySrc;
    bytes orderAuthorityAddressDst;
    bytes allowedTakerDst;
    bytes allowedCancelBeneficiarySrc;
    bytes externalCall;
}

struct OrderCreation {
    address giveTokenAddress;
    uint256 giveAmount;
    bytes takeTokenAddress;
    uint256 takeAmount;
    uint256 takeChainId;
    bytes receiverDst;
    address givePatchAuthoritySrc;
    bytes orderAuthorityAddressDst;
    bytes allowedTakerDst;
    bytes externalCall;
    bytes allowedCancelBeneficiarySrc;
}

/// What both sides make of an order: the hash of its packed fields is its id.
abstract contract Orders is SetUpOnce {
    error IncorrectOrderStatus();
    error WrongChain();
    error Unauthorized();

    function sized(bytes memory some) private pure returns (bytes memory) {
        return abi.encodePacked(uint8(some.length), some);
    }

    function getOrderId(Order memory order) public pure returns (bytes32) {
        bytes memory given = abi.encodePacked(
            order.makerOrderNonce,
            sized(order.makerSrc),
            order.giveChainId,
            sized(order.giveTokenAddress),
            order.giveAmount,
            order.takeChainId
        );
        bytes memory taken =
            abi.encodePacked(sized(order.takeTokenAddress), order.takeAmount, sized(order.receiverDst));
        bytes memory allowed = abi.encodePacked(
            sized(order.givePatchAuthoritySrc),
            sized(order.orderAuthorityAddressDst),
            sized(order.allowedTakerDst),
            sized(order.allowedCancelBeneficiarySrc),
            order.externalCall.length > 0
        );
        bytes memory called =
            order.externalCall.length > 0 ? abi.encodePacked(keccak256(order.externalCall)) : bytes("");
        return keccak256(abi.encodePacked(given, taken, allowed, called));
    }
}

/// What each side is told about the other, and what carries word between them; each side carries its own.
abstract contract Linked is Orders {
    error Paused();

    bool public paused;
    mapping(uint256 => bytes) private links;
    mapping(uint256 => bool) private isCutOff;

    function counterpart() internal pure virtual returns (address);

    function deBridgeGate() external view returns (address) {
        return address(this);
    }

    /// No chain has a fee of its own.
    function getChainToConfig(uint256 chainId) external view returns (uint256, bool, uint16) {
        return (0, !isCutOff[chainId], 0);
    }

    function getChainFromConfig(uint256 chainId) external view returns (uint256, bool, uint16) {
        return (0, !isCutOff[chainId], 0);
    }

    function setPaused(bool isPaused) external {
        paused = isPaused;
    }

    /// Whom this side trusts on another chain from now on.
    function setLink(uint256 chainId, bytes calldata other) external {
        links[chainId] = other;
    }

    /// Whether word is carried to and from another chain.
    function setCutOff(uint256 chainId, bool isCut) external {
        isCutOff[chainId] = isCut;
    }

    function linkTo(uint256 chainId) internal view returns (bytes memory) {
        return links[chainId].length == 0 ? abi.encodePacked(counterpart()) : links[chainId];
    }
}

contract LocalDlnSource is Linked {
    event CreatedOrder(
        Order order,
        bytes32 orderId,
        bytes affiliateFee,
        uint256 nativeFixFee,
        uint256 percentFee,
        uint32 referralCode,
        bytes metadata
    );
    event ClaimedUnlock(bytes32 orderId, address beneficiary, uint256 giveAmount, address giveTokenAddress);
    event ClaimedOrderCancel(bytes32 orderId, address beneficiary, uint256 paidAmount, address giveTokenAddress);

    error MismatchNativeGiveAmount();

    uint16 public constant globalTransferFeeBps = 4;
    uint88 private nativeFee;

    struct Given {
        uint8 status;
        address token;
        uint256 amount;
        uint256 fee;
        uint256 nativeFee;
    }

    /// 0 not set, 1 created, 2 unlocked, 3 cancelled.
    mapping(bytes32 => Given) public giveOrders;
    /// Speaks for the other chain.
    address public gate;

    function setUp(address speaker) external once {
        gate = speaker;
    }

    function counterpart() internal pure override returns (address) {
        return 0xE7351Fd770A37282b91D153Ee690B63579D6dd7f;
    }

    function dlnDestinationAddresses(uint256 chainId) external view returns (bytes memory) {
        return linkTo(chainId);
    }

    function globalFixedNativeFee() public view returns (uint88) {
        return nativeFee == 0 ? 0.001 ether : nativeFee;
    }

    /// What every order pays from now on.
    function setNativeFee(uint88 fee) external {
        nativeFee = fee;
    }

    function createSaltedOrder(
        OrderCreation calldata creation,
        uint64 salt,
        bytes memory affiliateFee,
        uint32 referralCode,
        bytes memory,
        bytes memory metadata
    ) external payable returns (bytes32 id) {
        if (paused) revert Paused();
        if (msg.value != globalFixedNativeFee()) revert MismatchNativeGiveAmount();
        require(
            IToken(creation.giveTokenAddress).transferFrom(msg.sender, address(this), creation.giveAmount),
            "Transfer failed"
        );
        uint256 fee = creation.giveAmount * globalTransferFeeBps / 10_000;
        Order memory order = made(creation, salt, creation.giveAmount - fee);
        id = getOrderId(order);
        if (giveOrders[id].status != 0) revert IncorrectOrderStatus();
        giveOrders[id] = Given(1, creation.giveTokenAddress, order.giveAmount, fee, msg.value);
        emit CreatedOrder(order, id, affiliateFee, msg.value, fee, referralCode, metadata);
    }

    function made(OrderCreation calldata creation, uint64 salt, uint256 kept)
        private
        view
        returns (Order memory order)
    {
        order.makerOrderNonce = salt;
        order.makerSrc = abi.encodePacked(tx.origin);
        order.giveChainId = block.chainid;
        order.giveTokenAddress = abi.encodePacked(creation.giveTokenAddress);
        order.giveAmount = kept;
        order.takeChainId = creation.takeChainId;
        order.takeTokenAddress = creation.takeTokenAddress;
        order.takeAmount = creation.takeAmount;
        order.receiverDst = creation.receiverDst;
        order.givePatchAuthoritySrc = abi.encodePacked(creation.givePatchAuthoritySrc);
        order.orderAuthorityAddressDst = creation.orderAuthorityAddressDst;
        order.allowedTakerDst = creation.allowedTakerDst;
        order.allowedCancelBeneficiarySrc = creation.allowedCancelBeneficiarySrc;
        order.externalCall = creation.externalCall;
    }

    function claimUnlock(bytes32 id, address beneficiary) external {
        Given memory given = ended(id, 2);
        require(IToken(given.token).transfer(beneficiary, given.amount), "Transfer failed");
        emit ClaimedUnlock(id, beneficiary, given.amount, given.token);
    }

    /// All of it comes back, the fees with it.
    function claimCancel(bytes32 id, address beneficiary) external {
        Given memory given = ended(id, 3);
        require(IToken(given.token).transfer(beneficiary, given.amount + given.fee), "Transfer failed");
        (bool isPaid,) = beneficiary.call{value: given.nativeFee}("");
        require(isPaid, "Transfer failed");
        emit ClaimedOrderCancel(id, beneficiary, given.amount + given.fee, given.token);
    }

    function ended(bytes32 id, uint8 status) private returns (Given memory given) {
        if (msg.sender != gate) revert Unauthorized();
        given = giveOrders[id];
        if (given.status != 1) revert IncorrectOrderStatus();
        giveOrders[id].status = status;
    }
}

/// It is its own gate to other chains: word of a cancellation is carried for a fixed fee, by whoever finds what is paid
/// for it beside that worth the way.
contract LocalDlnDestination is Linked {
    event Sent(bytes32 submissionId, uint256 executionFee);
    event FulfilledOrder(Order order, bytes32 orderId, address sender, address unlockAuthority);
    event SentOrderCancel(Order order, bytes32 orderId, bytes cancelBeneficiary, bytes32 submissionId);

    error MismatchedOrderId();
    error AllowOnlyForBeneficiary(bytes expectedBeneficiary);
    error TransferAmountNotCoverFees();
    error ProposedFeeTooHigh();

    uint256 private fixedFee;
    uint16 public globalTransferFeeBps;

    /// 0 not set, 1 fulfilled, 3 cancelled.
    mapping(bytes32 => uint8) public takeOrders;

    function counterpart() internal pure override returns (address) {
        return 0xeF4fB24aD0916217251F553c0596F8Edc630EB66;
    }

    function dlnSourceAddresses(uint256 chainId) external view returns (bytes memory) {
        return linkTo(chainId);
    }

    function globalFixedNativeFee() public view returns (uint256) {
        return fixedFee == 0 ? 0.001 ether : fixedFee;
    }

    /// What word to another chain costs from now on: so much, and a share of what is sent with it.
    function setFees(uint256 fee, uint16 bps) external {
        fixedFee = fee;
        globalTransferFeeBps = bps;
    }

    function fulfillOrder(
        Order memory order,
        uint256 amount,
        bytes32 id,
        bytes calldata,
        address unlockAuthority
    ) external payable {
        if (order.takeChainId != block.chainid) revert WrongChain();
        if (getOrderId(order) != id || amount != order.takeAmount) revert MismatchedOrderId();
        if (takeOrders[id] != 0) revert IncorrectOrderStatus();
        takeOrders[id] = 1;
        require(
            IToken(address(bytes20(order.takeTokenAddress))).transferFrom(
                msg.sender, address(bytes20(order.receiverDst)), amount
            ),
            "Transfer failed"
        );
        emit FulfilledOrder(order, id, msg.sender, unlockAuthority);
    }

    function sendEvmOrderCancel(Order memory order, address beneficiary, uint256 executionFee)
        external
        payable
    {
        if (paused) revert Paused();
        if (order.takeChainId != block.chainid) revert WrongChain();
        bytes32 id = getOrderId(order);
        if (address(bytes20(order.orderAuthorityAddressDst)) != msg.sender) revert Unauthorized();
        bytes memory allowed = order.allowedCancelBeneficiarySrc;
        if (allowed.length > 0 && address(bytes20(allowed)) != beneficiary) {
            revert AllowOnlyForBeneficiary(allowed);
        }
        if (takeOrders[id] != 0) revert IncorrectOrderStatus();
        takeOrders[id] = 3;
        send(id, executionFee);
        emit SentOrderCancel(order, id, abi.encodePacked(beneficiary), id);
    }

    function send(bytes32 id, uint256 executionFee) private {
        uint256 fee = globalFixedNativeFee() + msg.value * globalTransferFeeBps / 10_000;
        if (msg.value < fee) revert TransferAmountNotCoverFees();
        if (executionFee > msg.value - fee) revert ProposedFeeTooHigh();
        emit Sent(id, executionFee);
    }
}
