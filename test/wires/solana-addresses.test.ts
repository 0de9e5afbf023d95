/** Wrong addresses on Solana, in every field that takes one, over REST and as a tool: 400, the field, and what is taken. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { jup } from "../../apps/testing/wiring.ts"
import type { Name } from "../../core/treasury/operations.ts"
import { owner } from "../support/full-account.ts"
import { anOwner } from "../support/solana-world.ts"
import { type Fields, overRest, overTools } from "../support/surface-calls.ts"
import * as Surfaces from "../support/surfaces.ts"

const chainId = "local-solana"
const usdc = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"

/** Base58 has no small l: a capital that is written small is no address at all. */
const withL = "9B5XszUGdMaxCZ7uSQhPzdks5ZQSmWxrmzCSvtJ6LLLL"

/** No address of the chain, whatever field it is sent in. */
const unreadable = {
  "the wrong case": withL.toLowerCase(),
  "too short": anOwner().slice(0, -2),
  "too long": `${anOwner()}11`,
  "an address of EVM": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
}

interface Refused {
  readonly code: string | RegExp
  readonly param: string
  readonly message: RegExp
}

/** Asks over both, and holds both answers to the same. */
const isRefused = Effect.fnUntraced(function* (
  name: Name,
  input: Fields,
  key: string,
  { code, message, param }: Refused
) {
  const rest = yield* overRest(name, input, key)
  for (const said of [rest, yield* overTools(name, input, key)]) {
    if (said.ok) return assert.fail(`${name} took ${JSON.stringify(input)}`)
    assert.deepStrictEqual([said.status, said.error.param], [400, param], said.error.message)
    assert.match(said.error.code, new RegExp(code, "u"))
    assert.match(said.error.message, message)
  }
})

const form = /32 bytes in base58, 32 to 44 characters/u

layer(Surfaces.layer())("an address on Solana over the network", (it) => {
  for (const [what, wrong] of Object.entries(unreadable)) {
    it.effect(`${what} is no recipient, and no mint to sell or buy`, () =>
      Effect.gen(function* () {
        const { apiKey, solanaWalletId } = yield* owner("user_42")
        const refused = { code: "INVALID_ADDRESS", message: form }
        const recipient = { chainId, nickname: "Supplier", address: wrong }
        yield* isRefused("add_recipient", recipient, apiKey, { ...refused, param: "address" })
        const sides = { sellSymbol: "USDC", sellMint: usdc, buySymbol: "JUP", buyMint: jup.address }
        const trade = {
          ...sides,
          fromWalletId: solanaWalletId,
          toWalletId: solanaWalletId,
          amountUsd: "25.00",
          slippagePercent: 0.5
        }
        for (const param of ["sellMint", "buyMint"]) {
          const swap = { ...trade, [param]: wrong }
          yield* isRefused("propose_solana_swap", swap, apiKey, { ...refused, param })
          yield* isRefused("quote_swap", swap, apiKey, { ...refused, param })
        }
      })
    )
  }

  it.effect("a token account, a program and a mint are no recipients, by what they are", () =>
    Effect.gen(function* () {
      const { apiKey } = yield* owner("user_43")
      const { standsAt } = yield* ChainScript
      const unpayable = ["a token account; its owner is somebody", "a program", "a token's mint"]
      for (const reason of unpayable) {
        const address = anOwner()
        yield* standsAt(address, { _tag: "unpayable", reason }, chainId)
        const refused = { code: "INVALID_ADDRESS", param: "address" }
        const message = new RegExp(`The address is ${reason}.*Send the address of a wallet`, "u")
        const recipient = { chainId, nickname: "Supplier", address }
        yield* isRefused("add_recipient", recipient, apiKey, { ...refused, message })
      }
      yield* isRefused("add_recipient", { chainId, nickname: "USDC", address: usdc }, apiKey, {
        code: "INVALID_ADDRESS",
        param: "address",
        message: /USDC token itself/u
      })
    })
  )

  it.effect("a mint that is not USDC does not pass for it", () =>
    Effect.gen(function* () {
      const { apiKey, solanaWalletId } = yield* owner("user_44")
      const trade = {
        fromWalletId: solanaWalletId,
        toWalletId: solanaWalletId,
        sellSymbol: "USDC",
        buySymbol: "JUP",
        buyMint: jup.address,
        amountUsd: "25.00",
        slippagePercent: 0.5
      }
      for (const name of ["propose_solana_swap", "quote_swap"] as const) {
        yield* isRefused(name, { ...trade, sellMint: anOwner() }, apiKey, {
          code: "TOKEN_NOT_VERIFIED",
          param: "sellMint",
          message: /choose a verified token of local-solana/u
        })
        yield* isRefused(name, { ...trade, sellMint: jup.address }, apiKey, {
          code: "TOKEN_MISMATCH",
          param: "sellMint",
          message: /sellMint is JUP and sellSymbol says another/u
        })
      }
    })
  )
})
