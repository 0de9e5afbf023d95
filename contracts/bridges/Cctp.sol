// SPDX-License-Identifier: Apache-2.0
// Burning USDC on one local chain and minting it on another, written from the published interface of CCTP V2:
// the layout of messages, the checks, the events and the words of the refusals. For local chains only.
pragma solidity 0.8.37;

interface IMintableToken {
    function mint(address to, uint256 amount) external returns (bool);
    function burn(uint256 amount) external;
    function transferFrom(address from, address to, uint256 amount) external returns (bool);
}

/// Code is put in its place without a constructor, so each is set up once by a call.
abstract contract SetUpOnce {
    bool private isSetUp;

    modifier once() {
        require(!isSetUp, "Already set up");
        isSetUp = true;
        _;
    }

    function asBytes32(address some) internal pure returns (bytes32) {
        return bytes32(uint256(uint160(some)));
    }

    function asAddress(bytes32 some) internal pure returns (address) {
        require(uint256(some) >> 160 == 0, "Invalid bytes32 address");
        return address(uint160(uint256(some)));
    }
}

/// A message has 148 bytes in front of its body. Its nonce is empty until the attesters give it one.
contract LocalMessageTransmitter is SetUpOnce {
    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );

    uint32 public constant version = 1;
    uint32 private constant finalized = 2000;
    uint256 private constant signatureBytes = 65;

    uint32 public localDomain;
    bool public paused;
    uint256 public signatureThreshold;
    mapping(bytes32 => uint256) public usedNonces;
    mapping(address => bool) public isEnabledAttester;

    function setUp(uint32 domain, address[] calldata attesters) external once {
        localDomain = domain;
        signatureThreshold = attesters.length;
        for (uint256 at; at < attesters.length; at++) isEnabledAttester[attesters[at]] = true;
        usedNonces[0] = 1;
    }

    /// Anybody may on a local chain.
    function setPaused(bool isPaused) external {
        paused = isPaused;
    }

    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata body
    ) external {
        require(!paused, "Pausable: paused");
        require(destinationDomain != localDomain, "Domain is local domain");
        require(recipient != 0, "Recipient must be nonzero");
        emit MessageSent(
            abi.encodePacked(
                version,
                localDomain,
                destinationDomain,
                bytes32(0),
                asBytes32(msg.sender),
                recipient,
                destinationCaller,
                minFinalityThreshold,
                uint32(0),
                body
            )
        );
    }

    function receiveMessage(bytes calldata message, bytes calldata attestation) external returns (bool) {
        require(!paused, "Pausable: paused");
        verify(keccak256(message), attestation);
        require(message.length >= 148, "Invalid message: too short");
        require(uint32(bytes4(message[8:12])) == localDomain, "Invalid destination domain");
        bytes32 caller = bytes32(message[108:140]);
        require(caller == 0 || caller == asBytes32(msg.sender), "Invalid caller for message");
        require(uint32(bytes4(message[0:4])) == version, "Invalid message version");
        bytes32 nonce = bytes32(message[12:44]);
        require(usedNonces[nonce] == 0, "Nonce already used");
        usedNonces[nonce] = 1;
        handOver(message);
        emit MessageReceived(
            msg.sender,
            uint32(bytes4(message[4:8])),
            nonce,
            bytes32(message[44:76]),
            uint32(bytes4(message[144:148])),
            message[148:]
        );
        return true;
    }

    function handOver(bytes calldata message) private {
        LocalTokenMessenger recipient = LocalTokenMessenger(asAddress(bytes32(message[76:108])));
        uint32 source = uint32(bytes4(message[4:8]));
        bytes32 sender = bytes32(message[44:76]);
        uint32 executed = uint32(bytes4(message[144:148]));
        if (executed < finalized) {
            recipient.handleReceiveUnfinalizedMessage(source, sender, executed, message[148:]);
        } else {
            recipient.handleReceiveFinalizedMessage(source, sender, executed, message[148:]);
        }
    }

    /// As many signatures as the threshold says, by attesters in ascending order.
    function verify(bytes32 digest, bytes calldata attestation) private view {
        require(attestation.length == signatureBytes * signatureThreshold, "Invalid attestation length");
        address last;
        for (uint256 at; at < signatureThreshold; at++) {
            bytes calldata one = attestation[at * signatureBytes:(at + 1) * signatureBytes];
            address signer = ecrecover(digest, uint8(one[64]), bytes32(one[0:32]), bytes32(one[32:64]));
            require(signer > last, "Invalid signature order or dupe");
            require(isEnabledAttester[signer], "Invalid signature: not attester");
            last = signer;
        }
    }
}

/// Burns and mints, as the token lets it as one of its minters.
contract LocalTokenMinter is SetUpOnce {
    address public localTokenMessenger;
    mapping(address => uint256) public burnLimitsPerMessage;
    mapping(bytes32 => address) private localTokens;

    function setUp(address messenger, address token, uint256 limit) external once {
        localTokenMessenger = messenger;
        burnLimitsPerMessage[token] = limit;
    }

    function linkTokenPair(address token, uint32 remoteDomain, bytes32 remoteToken) external {
        localTokens[keccak256(abi.encodePacked(remoteDomain, remoteToken))] = token;
    }

    function getLocalToken(uint32 remoteDomain, bytes32 remoteToken) public view returns (address) {
        return localTokens[keccak256(abi.encodePacked(remoteDomain, remoteToken))];
    }

    modifier byMessenger() {
        require(msg.sender == localTokenMessenger, "Caller not local TokenMessenger");
        _;
    }

    function burn(address token, uint256 amount) external byMessenger {
        uint256 limit = burnLimitsPerMessage[token];
        require(limit > 0, "Burn token not supported");
        require(amount <= limit, "Burn amount exceeds per tx limit");
        IMintableToken(token).burn(amount);
    }

    function mint(uint32 source, bytes32 burnToken, address to, address feeTo, uint256 amount, uint256 fee)
        external
        byMessenger
        returns (address token)
    {
        token = getLocalToken(source, burnToken);
        require(token != address(0), "Mint token not supported");
        require(IMintableToken(token).mint(to, amount), "Mint to recipient failed");
        if (fee > 0) require(IMintableToken(token).mint(feeTo, fee), "Mint to fee recipient failed");
    }
}

contract LocalTokenMessenger is SetUpOnce {
    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    event MintAndWithdraw(
        address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected
    );

    uint32 public constant messageBodyVersion = 1;
    uint256 public constant MIN_FEE_MULTIPLIER = 10_000_000;
    uint32 private constant minThreshold = 500;

    LocalMessageTransmitter public localMessageTransmitter;
    LocalTokenMinter public localMinter;
    address public feeRecipient;
    /// In thousandths of a basis point; at nought any maxFee burns, and one too low only waits for finality.
    uint256 public minFee;
    mapping(uint32 => bytes32) public remoteTokenMessengers;
    mapping(address => bool) public isDenylisted;

    function setUp(LocalMessageTransmitter transmitter, LocalTokenMinter minter, address feesTo) external once {
        localMessageTransmitter = transmitter;
        localMinter = minter;
        feeRecipient = feesTo;
    }

    function addRemoteTokenMessenger(uint32 domain, bytes32 messenger) external {
        remoteTokenMessengers[domain] = messenger;
    }

    function setMinFee(uint256 fee) external {
        require(fee < MIN_FEE_MULTIPLIER, "Min fee too high");
        minFee = fee;
    }

    function setDenylisted(address account, bool isDenied) external {
        isDenylisted[account] = isDenied;
    }

    function getMinFeeAmount(uint256 amount) public view returns (uint256) {
        if (minFee == 0) return 0;
        require(amount > 1, "Amount too low");
        uint256 fee = amount * minFee / MIN_FEE_MULTIPLIER;
        return fee == 0 ? 1 : fee;
    }

    function depositForBurn(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold
    ) external {
        deposit(amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold, "");
    }

    function depositForBurnWithHook(
        uint256 amount,
        uint32 destinationDomain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 minFinalityThreshold,
        bytes calldata hookData
    ) external {
        require(hookData.length > 0, "Hook data is empty");
        deposit(
            amount, destinationDomain, mintRecipient, burnToken, destinationCaller, maxFee, minFinalityThreshold, hookData
        );
    }

    function deposit(
        uint256 amount,
        uint32 domain,
        bytes32 mintRecipient,
        address burnToken,
        bytes32 caller,
        uint256 maxFee,
        uint32 threshold,
        bytes memory hookData
    ) private {
        require(!isDenylisted[msg.sender] && !isDenylisted[tx.origin], "Denylistable: account is on denylist");
        require(amount > 0, "Amount must be nonzero");
        require(mintRecipient != 0, "Mint recipient must be nonzero");
        require(maxFee < amount, "Max fee must be less than amount");
        require(minFee == 0 || maxFee >= getMinFeeAmount(amount), "Insufficient max fee");
        bytes32 messenger = remoteTokenMessengers[domain];
        require(messenger != 0, "No TokenMessenger for domain");
        require(
            IMintableToken(burnToken).transferFrom(msg.sender, address(localMinter), amount),
            "Transfer operation failed"
        );
        localMinter.burn(burnToken, amount);
        localMessageTransmitter.sendMessage(
            domain,
            messenger,
            caller,
            threshold,
            abi.encodePacked(
                messageBodyVersion,
                asBytes32(burnToken),
                mintRecipient,
                amount,
                asBytes32(msg.sender),
                maxFee,
                uint256(0),
                uint256(0),
                hookData
            )
        );
        emit DepositForBurn(
            burnToken, amount, msg.sender, mintRecipient, domain, messenger, caller, maxFee, threshold, hookData
        );
    }

    function handleReceiveFinalizedMessage(uint32 source, bytes32 sender, uint32, bytes calldata body)
        external
        returns (bool)
    {
        return receiveBurn(source, sender, body);
    }

    function handleReceiveUnfinalizedMessage(uint32 source, bytes32 sender, uint32 executed, bytes calldata body)
        external
        returns (bool)
    {
        require(executed >= minThreshold, "Unsupported finality threshold");
        return receiveBurn(source, sender, body);
    }

    function receiveBurn(uint32 source, bytes32 sender, bytes calldata body) private returns (bool) {
        require(msg.sender == address(localMessageTransmitter), "Invalid message transmitter");
        require(sender != 0 && remoteTokenMessengers[source] == sender, "Remote TokenMessenger unsupported");
        require(body.length >= 228, "Invalid burn message: too short");
        require(uint32(bytes4(body[0:4])) == messageBodyVersion, "Invalid message body version");
        uint256 expiresAt = uint256(bytes32(body[196:228]));
        require(expiresAt == 0 || expiresAt > block.number, "Message expired and must be re-signed");
        uint256 amount = uint256(bytes32(body[68:100]));
        uint256 fee = uint256(bytes32(body[164:196]));
        require(fee == 0 || fee < amount, "Fee equals or exceeds amount");
        require(fee <= uint256(bytes32(body[132:164])), "Fee exceeds max fee");
        address to = asAddress(bytes32(body[36:68]));
        address token = localMinter.mint(source, bytes32(body[4:36]), to, feeRecipient, amount - fee, fee);
        emit MintAndWithdraw(to, amount - fee, token, fee);
        return true;
    }
}
