// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Metadata} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Metadata.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// A token of the local chain. Its issuer makes it out of nothing; it takes no permits, as most tokens take none.
contract LocalToken is ERC20 {
    address public immutable issuer;
    uint8 private immutable places;

    constructor(string memory name_, string memory symbol_, uint8 places_, address issuer_) ERC20(name_, symbol_) {
        (places, issuer) = (places_, issuer_);
    }

    function decimals() public view override returns (uint8) {
        return places;
    }

    function mint(address to, uint256 amount) external {
        require(msg.sender == issuer, "only the issuer");
        _mint(to, amount);
    }
}

/// Trades any two tokens at the prices its keeper sets, and keeps 0.3 % of what it gives.
contract LocalPool {
    using SafeERC20 for IERC20;

    address public immutable keeper;
    /// Millionths of a dollar for one whole token; nought where it trades none.
    mapping(IERC20 => uint256) public priceOf;

    constructor(address keeper_) {
        keeper = keeper_;
    }

    function setPrice(IERC20 token, uint256 price) external {
        require(msg.sender == keeper, "only the keeper");
        priceOf[token] = price;
    }

    function quote(IERC20 sell, IERC20 buy, uint256 amount) public view returns (uint256) {
        uint256 worth = amount * priceOf[sell] * 10 ** IERC20Metadata(address(buy)).decimals();
        return worth * 997 / (priceOf[buy] * 10 ** IERC20Metadata(address(sell)).decimals() * 1000);
    }

    function swap(IERC20 sell, IERC20 buy, uint256 amount, address to) external returns (uint256 bought) {
        bought = quote(sell, buy, amount);
        sell.safeTransferFrom(msg.sender, address(this), amount);
        buy.safeTransfer(to, bought);
    }
}

/// A wallet that is a contract with one owner (ERC-1271).
contract LocalContractWallet {
    address public immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        (address signer,,) = ECDSA.tryRecover(hash, signature);
        return signer == owner ? bytes4(0x1626ba7e) : bytes4(0xffffffff);
    }

    function call(address to, bytes calldata data) external returns (bytes memory out) {
        require(msg.sender == owner, "only the owner");
        bool isDone;
        (isDone, out) = to.call(data);
        require(isDone, "the call failed");
    }
}
