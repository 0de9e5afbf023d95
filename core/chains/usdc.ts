/** The native USDC contract or mint of each chain, as its issuer publishes them; a bridged look-alike is never money. */

/** By chain id; the sandbox's chain deploys its own. */
export const usdc: Readonly<Record<string, string> & { base: string }> = {
  ethereum: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  base: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  arbitrum: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
  optimism: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
  polygon: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
  "ethereum-sepolia": "0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238",
  "base-sepolia": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
  "arbitrum-sepolia": "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d",
  "optimism-sepolia": "0x5fd84259d66Cd46123540766Be93DFE6D43130D7",
  "polygon-amoy": "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582",
  solana: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
  "solana-devnet": "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
}

/**
 * Blocks after which a transfer is final, as payers are told of it, and how often to look, by chain id (configuration may raise
 * them). Where a chain itself says what is final, its word counts.
 */
export const finality: Readonly<
  Record<string, { readonly confirmations: number; readonly pollMs: number }>
> = {
  ethereum: { confirmations: 12, pollMs: 6_000 },
  base: { confirmations: 20, pollMs: 2_000 },
  arbitrum: { confirmations: 40, pollMs: 1_000 },
  optimism: { confirmations: 20, pollMs: 2_000 },
  polygon: { confirmations: 64, pollMs: 2_000 },
  "ethereum-sepolia": { confirmations: 6, pollMs: 6_000 },
  "base-sepolia": { confirmations: 6, pollMs: 2_000 },
  "arbitrum-sepolia": { confirmations: 6, pollMs: 1_000 },
  "optimism-sepolia": { confirmations: 6, pollMs: 2_000 },
  "polygon-amoy": { confirmations: 12, pollMs: 2_000 },
  local: { confirmations: 3, pollMs: 250 },
  "local-2": { confirmations: 3, pollMs: 250 },
  solana: { confirmations: 32, pollMs: 1_000 },
  "solana-devnet": { confirmations: 32, pollMs: 1_000 },
  "local-solana": { confirmations: 32, pollMs: 250 }
}
