/** The issuer's bridge keeps the contract of bridges between a real EVM chain and a real Solana, both ways, and fails as it says. */
import { suite } from "../../../contracts/bridges.contract.ts"
import * as BurnFailures from "../../../contracts/burn-failures.contract.ts"
import { cctpFromSolanaWorld } from "../../../support/cctp-from-solana-world.ts"
import { cctpSolanaWorld } from "../../../support/cctp-solana-world.ts"

suite("CCTP to the local Solana", cctpSolanaWorld, { absentId: `0x${"00".repeat(32)}` })
suite("CCTP from the local Solana", cctpFromSolanaWorld, { absentId: "1".repeat(64) })
BurnFailures.suite("CCTP to the local Solana", cctpSolanaWorld)
BurnFailures.suite("CCTP from the local Solana", cctpFromSolanaWorld)
