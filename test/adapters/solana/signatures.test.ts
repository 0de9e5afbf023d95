/** Signatures of Solana's wallets are judged here, and no chain is asked. */
import { Effect, Layer } from "effect"
import * as SolanaSignatures from "../../../adapters/solana/signatures.ts"
import { Signatures } from "../../../core/ports/signatures.ts"
import * as Contract from "../../contracts/signatures.contract.ts"
import { programAccount, solanaWallets, tokenProgram } from "../../support/signing-wallets.ts"

/** Whoever judges other chains is not asked about this one. */
const others = Layer.succeed(Signatures, {
  isBy: () => Effect.die(new Error("Nobody else is asked about Solana's wallets."))
})

const world = Layer.succeed(Contract.WalletWorld, {
  contractOf: () => Effect.succeed(programAccount),
  otherContract: Effect.succeed(tokenProgram),
  outage: () => Effect.void,
  contractsSign: false
})

Contract.suite(
  "solana",
  Layer.merge(world, SolanaSignatures.layer.pipe(Layer.provide(others))),
  solanaWallets
)
