/**
 * What is signed as a swap is the swap and nothing else: every field, account and flag of an honest message is changed,
 * one at a time, and each change is refused.
 */
import { assert, layer } from "@effect/vitest"
import { AccountRole } from "@solana/kit"
import { Effect } from "effect"
import type { Account } from "../../../adapters/solana/account.ts"
import { formOf, planAt, programsOn, withAmounts } from "../../../adapters/solana/route-data.ts"
import * as Check from "../../../adapters/solana/swap-check.ts"
import * as Base58 from "../../../core/encoding/base58.ts"
import { apart, honest, sales, stranger } from "../../support/honest-swaps.ts"
import { solana } from "../../support/real-send-worlds.ts"
import * as Mutants from "../../support/swap-mutants.ts"

type Told = Check.Decoded
const { flagged, flipped, replaced, routeOf } = Mutants

layer(solana)("what may be signed as a swap", (it) => {
  for (const [name, sale] of Object.entries(sales)) {
    it.effect(`${name}: an honest one may, and every change of it may not`, () =>
      Effect.gen(function* () {
        const given = yield* sale()
        const { decoded, draft, held } = given
        assert.isUndefined(Check.violation(decoded, draft, held))
        const other = yield* stranger
        const mutants = Mutants.mutantsOf(given, other)
        assert.deepStrictEqual(Mutants.survivors(mutants, given), [])
        assert.isAbove(mutants.length, 400)
      }).pipe(apart)
    )

    it.effect(`${name}: what is wrong with its route is told by name`, () =>
      Effect.gen(function* () {
        const { decoded, draft, held } = yield* sale()
        const other = yield* stranger
        const { at, form, told } = routeOf(decoded)
        const expected: Readonly<Record<number, string>> = {
          [form.wallet]: "another wallet would sell",
          [form.source]: "it would be taken from another account",
          [form.destination]: "it would be given to another account",
          [form.sellMint]: "another token would be sold",
          [form.buyMint]: "another token would be bought",
          ...Object.fromEntries(
            form.tokenPrograms.map((place) => [place, "the tokens would be of another program"])
          ),
          ...(form.events === null
            ? {}
            : {
                [form.events.authority]: "its events would be somebody else's",
                [form.events.program]: "it would name another program as itself"
              })
        }
        for (const [place, sentence] of Object.entries(expected)) {
          const account = told.accounts[Number(place)] ?? assert.fail(`nothing is at ${place}`)
          const accounts = replaced(told.accounts, Number(place), { ...account, address: other })
          const to = {
            ...decoded,
            instructions: replaced(decoded.instructions, at, { ...told, accounts })
          }
          assert.strictEqual(Check.violation(to, draft, held), sentence)
        }
      }).pipe(apart)
    )
  }

  it.effect("who pays and signs is told by name where it is wrong", () =>
    Effect.gen(function* () {
      const { decoded, draft, held } = yield* honest()
      const [payer, wallet, ...rest] = decoded.accounts
      if (payer === undefined || wallet === undefined) return assert.fail("nobody signs")
      const reasonOf = (accounts: Told["accounts"]) =>
        Check.violation({ ...decoded, accounts }, draft, held)
      assert.strictEqual(wallet.address, draft.swap.from)
      assert.strictEqual(reasonOf([wallet, payer, ...rest]), "another account would pay the fee")
      const signerMore = { address: yield* stranger, role: AccountRole.READONLY_SIGNER }
      assert.strictEqual(
        reasonOf([...decoded.accounts, signerMore]),
        "others than relayer and wallet would sign"
      )
    }).pipe(apart)
  )

  it.effect("one program may be called on the real chain, and two where both are ours", () =>
    Effect.gen(function* () {
      const jupiter = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4"
      const okx = "6m2CDdhRgxpH4WjvdzxAYbGxwdGUz5MziiL5jek2kBma"
      assert.deepStrictEqual(programsOn("solana"), [jupiter])
      assert.deepStrictEqual(programsOn("local-solana"), [jupiter, okx])
      assert.deepStrictEqual(programsOn("solana-devnet"), [])
      const { decoded, draft, held } = yield* sales["split over two pools"]()
      assert.strictEqual(routeOf(decoded).told.program, okx)
      const elsewhere = { ...draft, swap: { ...draft.swap, chainId: "solana" } }
      assert.strictEqual(
        Check.violation(decoded, elsewhere, held),
        "another program would be called"
      )
      // A form belongs to its program: the same data means nothing to the other one.
      const { at, told } = routeOf(decoded)
      const instructions = replaced(decoded.instructions, at, { ...told, program: jupiter })
      assert.strictEqual(
        Check.violation({ ...decoded, instructions }, draft, held),
        "the route has no form whose amounts can be read"
      )
    }).pipe(apart)
  )

  it.effect("a split sale is held to its least, whatever the venue expected", () =>
    Effect.gen(function* () {
      const { decoded, draft, held } = yield* sales["split over two pools"]()
      const { at, form, told } = routeOf(decoded)
      const judged = (data: Uint8Array) =>
        Check.violation(
          { ...decoded, instructions: replaced(decoded.instructions, at, { ...told, data }) },
          draft,
          held
        )
      const { amount, minBuyAmount } = draft.swap
      const theirs = Uint8Array.from(told.data).fill(9, form.amountsAt, planAt(form))
      const ours = withAmounts(told.program, theirs, { inAmount: amount.units, minBuyAmount })
      assert.isUndefined(judged(ours))
      assert.strictEqual(judged(flipped(told.data, 8)), "another amount would be sold")
      for (const byte of [16, 24]) {
        assert.strictEqual(judged(flipped(told.data, byte)), "it would be held to another minimum")
      }
    }).pipe(apart)
  )

  it.effect(
    "the route names neither relayer nor mark, and no account of the wallet but its two",
    () =>
      Effect.gen(function* () {
        const given = yield* honest()
        const { decoded, draft, held } = given
        const last = decoded.instructions.length - 1
        const route = decoded.instructions[last] ?? assert.fail("there is no route")
        const naming = (address: string, role: AccountRole): Told => {
          const used = { address, role }
          const accounts = [...route.accounts, used]
          return {
            ...decoded,
            instructions: replaced(decoded.instructions, last, { ...route, accounts })
          }
        }
        const other = yield* stranger
        const wallet = Base58.decode(draft.swap.from, 32) ?? new Uint8Array()
        const account = (data: Uint8Array): Account => ({
          owner: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
          lamports: 2_039_280n,
          executable: false,
          data
        })
        const holding = (at: number) => {
          const data = new Uint8Array(165)
          data.set(wallet, at)
          return account(data)
        }
        const judged = (
          told: Told,
          more: ReadonlyArray<readonly [string, Account | undefined]> = []
        ) => Check.violation(told, draft, new Map([...held, ...more]))
        const { places, relayer, swap } = draft
        assert.strictEqual(
          judged(naming(relayer, AccountRole.READONLY)),
          "the route would use the relayer"
        )
        assert.strictEqual(
          judged(naming(places.mark, AccountRole.WRITABLE), [[places.mark, undefined]]),
          "the route would use the mark"
        )
        assert.strictEqual(
          judged(naming(other, AccountRole.READONLY_SIGNER)),
          "somebody else would sign the route"
        )
        assert.strictEqual(
          judged(flagged(decoded, swap.from, AccountRole.WRITABLE_SIGNER), [
            [swap.from, undefined]
          ]),
          "the wallet's own coins could be taken"
        )
        const changing = naming(other, AccountRole.WRITABLE)
        assert.strictEqual(judged(changing), "an account that it changes was not read")
        // Its owner, its delegate and whoever may close it stand at these places of a token account.
        for (const at of [32, 76, 133]) {
          assert.strictEqual(
            judged(changing, [[other, holding(at)]]),
            "another account of the wallet could be changed"
          )
        }
        // A pool, and an account that is yet to be made, are nobody's business here.
        assert.isUndefined(judged(changing, [[other, account(new Uint8Array(165))]]))
        assert.isUndefined(judged(changing, [[other, undefined]]))
        assert.isUndefined(judged(naming(swap.from, AccountRole.READONLY_SIGNER)))
      }).pipe(apart)
  )

  it.effect("amounts are ours whatever the venue wrote, and fees and other forms are refused", () =>
    Effect.gen(function* () {
      const given = yield* honest()
      const { decoded, draft, held } = given
      const last = decoded.instructions.length - 1
      const route = decoded.instructions[last] ?? assert.fail("there is no route")
      const form = formOf(route.program, route.data) ?? assert.fail("it has no form")
      const judged = (data: Uint8Array) =>
        Check.violation(
          {
            ...decoded,
            instructions: replaced(decoded.instructions, last, { ...route, data })
          },
          draft,
          held
        )
      const writing = (at: number, bytes: 2 | 8, value: bigint) => {
        const data = Buffer.from(route.data)
        if (bytes === 8) data.writeBigUInt64LE(value, form.amountsAt + at)
        else data.writeUInt16LE(Number(value), form.amountsAt + at)
        return Uint8Array.from(data)
      }
      const { amount, minBuyAmount } = draft.swap
      assert.isUndefined(judged(route.data))
      assert.strictEqual(judged(writing(0, 8, amount.units + 1n)), "another amount would be sold")
      assert.strictEqual(judged(writing(0, 8, amount.units - 1n)), "another amount would be sold")
      assert.strictEqual(
        judged(writing(8, 8, minBuyAmount - 1n)),
        "it would be held to another minimum"
      )
      assert.strictEqual(
        judged(writing(8, 8, minBuyAmount + 1n)),
        "it would be held to another minimum"
      )
      assert.strictEqual(judged(writing(16, 2, 1n)), "less than the minimum would do")
      assert.strictEqual(judged(writing(18, 2, 1n)), "a fee would be taken for the platform")
      assert.strictEqual(
        judged(writing(20, 2, 1n)),
        "a fee would be taken on what comes beyond the quote"
      )
      const formless = "the route has no form whose amounts can be read"
      // The older route, whose amounts stand behind its plan; and one that ends before its amounts do.
      const older = Uint8Array.from([
        ...Buffer.from("e517cb977ae3ad2a", "hex"),
        ...route.data.subarray(8)
      ])
      assert.strictEqual(judged(older), formless)
      assert.strictEqual(judged(route.data.subarray(0, form.amountsAt + 22)), formless)
      // Amounts, slippage and fees of the venue's own.
      const theirs = Uint8Array.from(route.data).fill(9, form.amountsAt, form.amountsAt + 22)
      const ours = withAmounts(route.program, theirs, { inAmount: 5n, minBuyAmount: 7n })
      assert.strictEqual(judged(ours), "another amount would be sold")
      assert.deepStrictEqual(
        [...ours.subarray(8, 30)],
        [5, ...Array(7).fill(0), 7, ...Array(13).fill(0)]
      )
    }).pipe(apart)
  )

  it.effect("what stands in a lookup table is what the chain has there", () =>
    Effect.gen(function* () {
      const { bytes, decoded, draft, held, tables } = yield* honest()
      const [[table, addresses] = assert.fail("there is no table")] = [...tables]
      const other = yield* stranger
      const used = decoded.accounts.map(({ address }) => address)
      let looked = 0
      for (const [place, address] of addresses.entries()) {
        // Authorities of the programs and the program of the pools are the router's business.
        if ([0, 1, 3].includes(place) || !used.includes(address)) continue
        looked++
        const lying = new Map([[table, replaced(addresses, place, other as typeof address)]])
        const read = Check.decode(bytes, lying) ?? assert.fail("it cannot be read")
        assert.isDefined(Check.violation(read, draft, held), `place ${place}`)
      }
      assert.isAbove(looked, 2)
      assert.isUndefined(Check.decode(bytes, new Map()))
      // Without its first byte it is a message of the first form, which names no tables.
      assert.isUndefined(Check.decode(bytes.subarray(1), tables))
      assert.isUndefined(Check.decode(bytes, new Map([[table, addresses.slice(0, 1)]])))
    }).pipe(apart)
  )
})
