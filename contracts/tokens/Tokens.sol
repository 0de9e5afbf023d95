// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Tokens for tests: one as it should be, and one for each way in which tokens surprise who approves them.
/// Anybody may mint. Nothing is set by a constructor, so that the code can be placed at any address.
contract PlainToken {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) internal allowed;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function name() external view virtual returns (string memory) { return "Plain Token"; }
    function symbol() external view virtual returns (string memory) { return "PLAIN"; }
    function decimals() external view virtual returns (uint8) { return 18; }
    function totalSupply() external pure returns (uint256) { return 0; }
    function balanceOf(address owner) public view virtual returns (uint256) { return held[owner]; }
    function allowance(address owner, address spender) public view returns (uint256) { return allowed[owner][spender]; }

    function mint(address to, uint256 value) external {
        held[to] += value;
        emit Transfer(address(0), to, value);
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        _approve(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        require(allowed[from][msg.sender] >= value, "allowance");
        allowed[from][msg.sender] -= value;
        _move(from, to, value);
        return true;
    }

    function _approve(address owner, address spender, uint256 value) internal {
        allowed[owner][spender] = value;
        emit Approval(owner, spender, value);
    }

    function _move(address from, address to, uint256 value) internal virtual {
        require(held[from] >= value, "balance");
        held[from] -= value;
        held[to] += value;
        emit Transfer(from, to, value);
    }
}

/// Approves from one amount to another by way of zero alone, and answers nothing, as USDT does on Ethereum.
contract ByZeroToken {
    mapping(address => uint256) internal held;
    mapping(address => mapping(address => uint256)) internal allowed;

    event Approval(address indexed owner, address indexed spender, uint256 value);

    function name() external pure returns (string memory) { return "By Zero Token"; }
    function symbol() external pure returns (string memory) { return "BYZERO"; }
    function decimals() external pure returns (uint8) { return 6; }
    function balanceOf(address owner) external view returns (uint256) { return held[owner]; }
    function allowance(address owner, address spender) external view returns (uint256) { return allowed[owner][spender]; }
    function mint(address to, uint256 value) external { held[to] += value; }

    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 value) external { _move(msg.sender, to, value); }

    function transferFrom(address from, address to, uint256 value) external {
        require(allowed[from][msg.sender] >= value, "allowance");
        allowed[from][msg.sender] -= value;
        _move(from, to, value);
    }

    function _move(address from, address to, uint256 value) private {
        require(held[from] >= value, "balance");
        held[from] -= value;
        held[to] += value;
        emit Transfer(from, to, value);
    }

    function approve(address spender, uint256 value) external {
        require(msg.data.length >= 68, "short");
        require(value == 0 || allowed[msg.sender][spender] == 0, "by way of zero");
        allowed[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
    }
}

/// Refuses by answering false.
contract FalseToken is PlainToken {
    function approve(address, uint256) external pure override returns (bool) { return false; }
}

/// Says that it approved, logs that it approved, and approves nothing.
contract IdleToken is PlainToken {
    function approve(address spender, uint256 value) external override returns (bool) {
        emit Approval(msg.sender, spender, value);
        return true;
    }
}

/// Approves more than it was asked to.
contract GenerousToken is PlainToken {
    function approve(address spender, uint256) external override returns (bool) {
        _approve(msg.sender, spender, type(uint256).max);
        return true;
    }
}

/// Keeps one hundredth of what is moved.
contract FeeToken is PlainToken {
    function _move(address from, address to, uint256 value) internal override {
        require(held[from] >= value, "balance");
        held[from] -= value;
        held[to] += value - value / 100;
        emit Transfer(from, to, value - value / 100);
    }
}

/// Balances grow with the blocks.
contract RebasingToken is PlainToken {
    function balanceOf(address owner) public view override returns (uint256) {
        return held[owner] + (held[owner] * (block.number % 100)) / 100;
    }
}

/// Has fewer decimals than most lists would say.
contract TwoDecimalsToken is PlainToken {
    function decimals() external pure override returns (uint8) { return 2; }
}

/// Takes permits as EIP-2612 says.
contract PermitToken is PlainToken {
    mapping(address => uint256) public nonces;

    bytes32 private constant DOMAIN =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant PERMIT =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");

    function name() external pure override returns (string memory) { return "Permit Token"; }

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(DOMAIN, keccak256("Permit Token"), keccak256("1"), block.chainid, address(this))
        );
    }

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
        virtual
    {
        require(block.timestamp <= deadline, "permit is expired");
        bytes32 digest = keccak256(
            abi.encodePacked(
                hex"1901",
                DOMAIN_SEPARATOR(),
                keccak256(abi.encode(PERMIT, owner, spender, value, nonces[owner]++, deadline))
            )
        );
        address signer = ecrecover(digest, v, r, s);
        require(signer != address(0) && signer == owner, "invalid signature");
        _approve(owner, spender, value);
    }
}

/// Takes a permit without a word and does nothing, as a token does whose fallback takes any call.
contract IdlePermitToken is PermitToken {
    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) external override {}
}
