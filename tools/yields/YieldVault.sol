// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

/// A vault of the local chain that earns. What is given to it with `earn` becomes worth of its shares second by
/// second until its time is over, so that a share is worth a little more in every block.
contract YieldVault is ERC4626 {
    using SafeERC20 for IERC20;

    uint256 private promised;
    uint64 private from;
    uint64 private until;

    constructor(IERC20 asset_, string memory name_, string memory symbol_) ERC20(name_, symbol_) ERC4626(asset_) {}

    /// What was given and is not yet worth of the shares.
    function pending() public view returns (uint256) {
        if (block.timestamp >= until) return 0;
        return (promised * (until - block.timestamp)) / (until - from);
    }

    function totalAssets() public view override returns (uint256) {
        return super.totalAssets() - pending();
    }

    /// Gives the shares so much more, spread over a time; what was pending before is spread anew with it.
    function earn(uint256 amount, uint64 spreadSeconds) external {
        require(spreadSeconds > 0, "no time to spread over");
        uint256 rest = pending();
        IERC20(asset()).safeTransferFrom(msg.sender, address(this), amount);
        promised = rest + amount;
        from = uint64(block.timestamp);
        until = from + spreadSeconds;
    }
}
