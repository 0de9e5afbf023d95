/** The relayer opens token accounts on Solana by the contract, and pays no more than their rent and a fee. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Seed from "../../../adapters/keys/seed.ts"
import { relayerKey } from "../../../adapters/solana/relayer-key.ts"
import * as TokenAccounts from "../../../adapters/solana/token-accounts.ts"
import { TokenAccounts as Port } from "../../../core/ports/token-accounts.ts"
import * as Contract from "../../contracts/token-accounts.contract.ts"
import * as Solana from "../../support/solana.ts"
import { anOwner, chainId, connectionTo } from "../../support/solana-world.ts"

const relayer = relayerKey(Seed.backend(new Uint8Array(64).fill(3)), "m/44'/501'/7'")

const base = Layer.effect(
  Contract.AccountsWorld,
  Effect.gen(function* () {
    const chain = yield* Solana.SolanaChain
    yield* chain.giveGas(yield* relayer.address)
    yield* chain.advance(40)
    return {
      chainId,
      someone: Effect.sync(anOwner),
      pay: (to: string, amountMicro: bigint) => Effect.asVoid(chain.mint(to, amountMicro)),
      mine: chain.advance(2),
      outage: (isAway: boolean) => chain.setFault(isAway ? () => "hang up" : undefined)
    }
  })
)

const accounts = Layer.unwrap(
  Effect.map(Solana.SolanaChain, (chain) =>
    TokenAccounts.layer({ relayer, connections: [connectionTo(chain)] })
  )
)

const world = Layer.merge(base, accounts).pipe(Layer.provideMerge(Layer.orDie(Solana.layer)))

Contract.suite("solana", world)

layer(world)("an account on Solana", (it) => {
  it.effect("costs what was said, once", () =>
    Effect.gen(function* () {
      const client = yield* Solana.rpc
      const address = yield* relayer.address
      const { cost, open } = yield* Port
      const { mine, someone } = yield* Contract.AccountsWorld
      const lamports = Effect.promise(() =>
        client.getBalance(address as never, { commitment: "confirmed" }).send()
      )
      const [owner, told] = [yield* someone, yield* cost(chainId)]
      const before = (yield* lamports).value
      yield* open(chainId, owner)
      yield* mine
      const after = (yield* lamports).value
      assert.strictEqual(before - after, told)
      yield* open(chainId, owner)
      yield* mine
      assert.strictEqual(after - (yield* lamports).value, 5_000n)
    })
  )
})
