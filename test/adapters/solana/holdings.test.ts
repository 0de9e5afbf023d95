/** What wallets hold on Solana: exact, in the order asked, and a stranger's tokens as no more than what they are. */
import { generateKeyPairSync } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { generateKeyPairSigner, type KeyPairSigner, lamports } from "@solana/kit"
import { getCreateAccountInstruction } from "@solana-program/system"
import {
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstructionAsync,
  getInitializeMint2Instruction,
  getMintToInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import { Effect, Layer } from "effect"
import { token2022Program } from "../../../adapters/solana/account.ts"
import * as SolanaChains from "../../../adapters/solana/chains.ts"
import * as SolanaHoldings from "../../../adapters/solana/holdings.ts"
import { type Address, keyOf } from "../../../core/chains/address.ts"
import * as Base58 from "../../../core/encoding/base58.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { Holdings } from "../../../core/ports/holdings.ts"
import * as Value from "../../support/chain-values.ts"
import * as Solana from "../../support/solana.ts"
import { chainId, connectionTo } from "../../support/solana-world.ts"

const someone = (): Address => {
  const { publicKey } = generateKeyPairSync("ed25519")
  return Value.address(
    Base58.encode(publicKey.export({ format: "der", type: "spki" }).subarray(-32))
  )
}

const mintBytes = 82

/** A mint of a stranger's, under either token program, all of which goes to one owner. */
const token = Effect.fnUntraced(function* (
  to: string,
  amount: bigint,
  { decimals = 6, program = TOKEN_PROGRAM_ADDRESS as string } = {}
) {
  const signer: KeyPairSigner = yield* Solana.payer
  const mint = yield* Effect.promise(() => generateKeyPairSigner())
  const programAddress = program as typeof TOKEN_PROGRAM_ADDRESS
  const seeds = { owner: to as KeyPairSigner["address"], mint: mint.address }
  const [account] = yield* Effect.promise(() =>
    findAssociatedTokenPda({ ...seeds, tokenProgram: programAddress })
  )
  const open = yield* Effect.promise(() =>
    getCreateAssociatedTokenIdempotentInstructionAsync({
      payer: signer,
      ...seeds,
      tokenProgram: programAddress
    })
  )
  const within = { programAddress }
  yield* Solana.handOver(
    yield* Solana.signed(signer, [
      getCreateAccountInstruction({
        payer: signer,
        newAccount: mint,
        lamports: lamports(10_000_000n),
        space: mintBytes,
        programAddress
      }),
      getInitializeMint2Instruction(
        { mint: mint.address, decimals, mintAuthority: signer.address },
        within
      ),
      open,
      getMintToInstruction(
        { mint: mint.address, token: account, mintAuthority: signer, amount },
        within
      )
    ])
  )
  return { mint: keyOf(chainId, mint.address), account }
})

const onSolana = Layer.unwrap(
  Effect.map(Solana.SolanaChain, (chain) =>
    Layer.merge(
      SolanaHoldings.layer([connectionTo(chain)]),
      SolanaChains.layer([connectionTo(chain)])
    )
  )
).pipe(Layer.provideMerge(Layer.orDie(Solana.layer)))

it.live("balances stand in the order asked, and a look-alike of USDC is never money", () =>
  Effect.gen(function* () {
    const chain = yield* Solana.SolanaChain
    const { balances, received } = yield* Holdings
    const usdc = keyOf(chainId, chain.usdc)
    const [rich, poor] = [someone(), someone()]
    yield* chain.mint(rich, 12_500_001n)
    yield* chain.give(rich, 7_000_000_000n)
    const own = yield* token(poor, 5n, { decimals: 9 })
    const lookAlike = yield* token(rich, 99n, { program: token2022Program })
    yield* chain.advance(2)
    const known = [
      { address: null, decimals: 9 },
      { address: usdc, decimals: 6 },
      { address: own.mint, decimals: 9 },
      { address: lookAlike.mint, decimals: 6 },
      { address: own.mint, decimals: 6 }
    ]
    assert.deepStrictEqual(yield* balances(chainId, [rich, poor], known), [
      [7_000_000_000n, 12_500_001n, 0n, undefined, undefined],
      [0n, 0n, 5n, undefined, undefined]
    ])
    const found = yield* received(chainId, [poor, rich], [usdc])
    assert.sameDeepMembers(
      [...found],
      [
        {
          holder: poor,
          tokenAddress: own.mint,
          symbol: "",
          name: "",
          decimals: 9,
          balance: 5n
        },
        {
          holder: rich,
          tokenAddress: lookAlike.mint,
          symbol: "",
          name: "",
          decimals: 6,
          balance: 99n
        }
      ]
    )
    assert.deepStrictEqual(yield* (yield* Chains).balances(chainId, [poor, rich]), [
      Usdc.zero,
      Usdc.make(12_500_001n)
    ])
  }).pipe(Effect.provide(onSolana))
)

it.live(
  "programs, token accounts and mints are nobody to pay; an address off the curve is told",
  () =>
    Effect.gen(function* () {
      const chain = yield* Solana.SolanaChain
      const { payee } = yield* Chains
      const owner = someone()
      const { account, mint } = yield* token(owner, 1n)
      const later = yield* token(owner, 1n, { program: token2022Program })
      yield* chain.advance(2)
      const reasonOf = (address: string) =>
        Effect.map(payee(chainId, Value.address(address)), (told) =>
          told._tag === "unpayable" ? told.reason : `payable ${told.note ?? ""}`.trim()
        )
      assert.strictEqual(yield* reasonOf(owner), "payable")
      assert.strictEqual(yield* reasonOf(someone()), "payable")
      assert.include(yield* reasonOf(account), `its owner is ${owner}`)
      assert.include(yield* reasonOf(later.account), `its owner is ${owner}`)
      assert.include(yield* reasonOf(mint), "mint")
      assert.include(yield* reasonOf(chain.usdc), "mint")
      assert.include(yield* reasonOf(TOKEN_PROGRAM_ADDRESS), "a program")
      // Where a token account would be, of somebody who has none yet.
      const offCurve = yield* Solana.tokenAccount(someone(), chain.usdc)
      assert.match(yield* reasonOf(offCurve), /^payable no key belongs/u)
    }).pipe(Effect.provide(onSolana))
)
