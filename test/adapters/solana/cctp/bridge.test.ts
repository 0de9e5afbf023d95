/** The issuer's bridge keeps the contract of bridges from a real EVM chain to a real Solana. */
import { suite } from "../../../contracts/bridges.contract.ts"
import { cctpSolanaWorld } from "../../../support/cctp-solana-world.ts"

suite("CCTP to the local Solana", cctpSolanaWorld, { absentId: `0x${"00".repeat(32)}` })
