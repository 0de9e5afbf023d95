/** Transactions for payers' wallets on the local Solana keep the contract, signed by keys of payers' own. */
import { randomBytes } from "node:crypto"
import {
  createKeyPairSignerFromPrivateKeyBytes,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  partiallySignTransaction
} from "@solana/kit"
import { Effect, Layer } from "effect"
import * as PayerTransactions from "../../../adapters/solana/payer-transactions.ts"
import type { Address } from "../../../core/chains/address.ts"
import * as Contract from "../../contracts/payer-transactions.contract.ts"
import * as Solana from "../../support/solana.ts"
import { anOwner, connectionTo } from "../../support/solana-world.ts"

const base = Layer.effect(
  Contract.PayersWorld,
  Effect.gen(function* () {
    const chain = yield* Solana.SolanaChain
    const client = yield* Solana.rpc
    yield* chain.advance(40)
    const { chain: named, usdc } = connectionTo(chain)
    return {
      asking: Effect.fnUntraced(function* (units: bigint) {
        const payTo = anOwner()
        // Only its account: nothing comes.
        yield* chain.mint(payTo, 0n)
        yield* chain.advance(2)
        return { chain: named, token: usdc, payTo, units, reference: anOwner() }
      }),
      payer: Effect.fnUntraced(function* (amountMicro: bigint, hasCoin = true) {
        const signer = yield* Effect.promise(() =>
          createKeyPairSignerFromPrivateKeyBytes(randomBytes(32))
        )
        yield* chain.mint(signer.address, amountMicro)
        if (hasCoin) yield* chain.giveGas(signer.address)
        yield* chain.advance(2)
        const send = (transaction: string) =>
          Effect.andThen(
            Effect.promise(async () => {
              const made = getTransactionDecoder().decode(getBase64Encoder().encode(transaction))
              const signed = await partiallySignTransaction([signer.keyPair], made)
              const wire = getBase64EncodedWireTransaction(signed)
              await client.sendTransaction(wire, { encoding: "base64" }).send()
            }),
            chain.advance(2)
          )
        return {
          address: signer.address as string as Address,
          send: (made: string) => Effect.asVoid(send(made))
        }
      }),
      held: (owner: string) => Effect.provideService(Solana.held(owner), Solana.SolanaChain, chain),
      named: (reference: string) =>
        Effect.promise(async () => {
          const all = await client.getSignaturesForAddress(reference as never).send()
          return all.length
        }),
      outage: (isAway: boolean) => chain.setFault(isAway ? () => "hang up" : undefined)
    }
  })
)

const transactions = Layer.unwrap(
  Effect.map(Solana.SolanaChain, (chain) => PayerTransactions.layer([connectionTo(chain)]))
)

Contract.suite(
  "solana",
  Layer.merge(base, transactions).pipe(Layer.provide(Layer.orDie(Solana.layer)))
)
