/**
 * What is signed as a swap is the swap and nothing else: every field, account and flag of an honest message is changed,
 * one at a time, and each change is refused.
 */
import { assert, layer } from "@effect/vitest"
import { AccountRole, isSignerRole } from "@solana/kit"
import { Effect } from "effect"
import type { Account } from "../../../adapters/solana/account.ts"
import { formOf, withAmounts } from "../../../adapters/solana/route-data.ts"
import * as Check from "../../../adapters/solana/swap-check.ts"
import * as Base58 from "../../../core/encoding/base58.ts"
import { apart, honest, stranger } from "../../support/honest-swaps.ts"
import { solana } from "../../support/real-send-worlds.ts"
import * as Swaps from "../../support/solana-swaps.ts"

type Told = Check.Decoded
interface Change {
  readonly what: string
  readonly to: Told
}

const replaced = <A>(all: ReadonlyArray<A>, at: number, one: A): ReadonlyArray<A> =>
  all.map((each, index) => (index === at ? one : each))

const flipped = (data: Uint8Array, at: number): Uint8Array => {
  const other = Uint8Array.from(data)
  other[at] = (other[at] ?? 0) ^ 1
  return other
}

/** Every account replaced by somebody's, every byte flipped, and the program, of one instruction. */
const changesOf = (decoded: Told, at: number, other: string): ReadonlyArray<Change> => {
  const told = decoded.instructions[at] ?? assert.fail("there is no such instruction")
  const as = (what: string, instruction: typeof told): Change => ({
    what: `instruction ${at}: ${what}`,
    to: { ...decoded, instructions: replaced(decoded.instructions, at, instruction) }
  })
  return [
    as("another program", { ...told, program: other }),
    as("an account more", {
      ...told,
      accounts: [...told.accounts, { address: other, role: AccountRole.READONLY }]
    }),
    ...told.accounts.map((account, place) =>
      as(`another account at ${place}`, {
        ...told,
        accounts: replaced(told.accounts, place, { ...account, address: other })
      })
    ),
    ...Array.from(told.data, (_, byte) =>
      as(`another byte at ${byte}`, { ...told, data: flipped(told.data, byte) })
    )
  ]
}

const flags = [
  AccountRole.READONLY,
  AccountRole.WRITABLE,
  AccountRole.READONLY_SIGNER,
  AccountRole.WRITABLE_SIGNER
]

/** The message with another flag for an account, wherever it is named. */
const flagged = (decoded: Told, address: string, role: AccountRole): Told => {
  const as = (each: Told["accounts"][number]) =>
    each.address === address ? { ...each, role } : each
  return {
    ...decoded,
    accounts: decoded.accounts.map(as),
    instructions: decoded.instructions.map((told) => ({ ...told, accounts: told.accounts.map(as) }))
  }
}

const refusedAll = (
  changes: ReadonlyArray<Change>,
  { draft, held }: Pick<Effect.Success<ReturnType<typeof honest>>, "draft" | "held">
) => {
  const signed = changes.filter(({ to }) => Check.violation(to, draft, held) === undefined)
  assert.deepStrictEqual(
    signed.map(({ what }) => what),
    []
  )
}

/** Bytes of the route from its plan on, and which of its accounts are the pools': the venue's own business. */
const amountsEnd = 30

const sales = {
  "through one pool": () => honest(),
  "through two pools": Effect.fnUntraced(function* () {
    const [sell, buy] = [yield* Swaps.mintOf("JUP"), yield* Swaps.mintOf("JitoSOL")]
    return yield* honest({ sell, buy, minBuyAmount: 200_000_000n })
  }),
  "for another wallet": Effect.fnUntraced(function* () {
    return yield* honest({}, yield* stranger)
  })
}

layer(solana)("what may be signed as a swap", (it) => {
  for (const [name, sale] of Object.entries(sales)) {
    it.effect(`${name}: an honest one may, and every change of it may not`, () =>
      Effect.gen(function* () {
        const given = yield* sale()
        const { decoded, draft, held } = given
        assert.isUndefined(Check.violation(decoded, draft, held))
        const other = yield* stranger
        const last = decoded.instructions.length - 1
        const route = decoded.instructions[last] ?? assert.fail("there is no route")
        const form = formOf(route.data) ?? assert.fail("it has no form")
        // Of a shared route two places say nothing, and its own authority is the program's business.
        const named = [
          form.wallet,
          form.source,
          form.destination,
          form.sellMint,
          form.buyMint,
          ...form.tokenPrograms,
          form.eventAuthority,
          form.program,
          ...(form.otherDestination === null ? [] : [form.otherDestination])
        ]
        const ofRoute = changesOf(decoded, last, other).filter(({ what }) => {
          const [, place] = /account at (\d+)$/u.exec(what) ?? []
          const [, byte] = /byte at (\d+)$/u.exec(what) ?? []
          const isShared = form.amountsAt === 9
          if (what.endsWith("an account more")) return false
          if (place !== undefined) return named.includes(Number(place))
          // The byte before a shared route's amounts chooses among the program's own authorities.
          if (byte !== undefined && isShared && byte === "8") return false
          return byte === undefined || Number(byte) < amountsEnd + (isShared ? 1 : 0)
        })
        const ofOurs = decoded.instructions
          .slice(0, last)
          .flatMap((_, at) => changesOf(decoded, at, other))
        refusedAll([...ofRoute, ...ofOurs], given)
        const [sellProgram, buyProgram] = form.tokenPrograms
        const told = {
          [form.wallet]: "another wallet would sell",
          [form.source]: "it would be taken from another account",
          [form.destination]: "it would be given to another account",
          [form.sellMint]: "another token would be sold",
          [form.buyMint]: "another token would be bought",
          [sellProgram]: "the tokens would be of another program",
          [buyProgram]: "the tokens would be of another program",
          [form.eventAuthority]: "its events would be somebody else's",
          [form.program]: "it would name another program as itself"
        }
        for (const { to, what } of ofRoute) {
          const [, place = ""] = /account at (\d+)$/u.exec(what) ?? []
          const expected = told[Number(place)]
          if (place === "" || expected === undefined) continue
          assert.strictEqual(Check.violation(to, draft, held), expected)
        }
        assert.isAbove(ofRoute.length + ofOurs.length, 60)
      }).pipe(apart)
    )
  }

  it.effect("who pays and signs, and what the wallet's coins may do, is as it must be", () =>
    Effect.gen(function* () {
      const given = yield* honest()
      const { decoded, draft } = given
      const { relayer, swap } = draft
      const other = yield* stranger
      const [payer, wallet, ...rest] = decoded.accounts
      if (payer === undefined || wallet === undefined) return assert.fail("nobody signs")
      const signerMore = { address: other, role: AccountRole.READONLY_SIGNER }
      const ofFlags = decoded.accounts.flatMap(({ address, role }) =>
        flags
          .filter((each) => each !== role && (isSignerRole(each) || isSignerRole(role)))
          .map((each) => ({
            what: `${address} as ${each} in place of ${role}`,
            to: flagged(decoded, address, each)
          }))
          // The payer signs and pays by its place, whatever else is said of it.
          .filter(({ what }) => !what.startsWith(relayer) || !what.includes(" as 2 "))
      )
      refusedAll(
        [
          { what: "nobody pays", to: { ...decoded, accounts: [wallet, payer, ...rest] } },
          {
            what: "a stranger pays",
            to: { ...decoded, accounts: [signerMore, ...decoded.accounts] }
          },
          {
            what: "one more signs",
            to: { ...decoded, accounts: [...decoded.accounts, signerMore] }
          },
          {
            what: "an account twice",
            to: { ...decoded, accounts: [...decoded.accounts, ...rest] }
          },
          { what: "another block", to: { ...decoded, lifetime: other } },
          ...ofFlags
        ],
        given
      )
      const reasonOf = (to: Told) => Check.violation(to, draft, given.held)
      assert.strictEqual(
        reasonOf({ ...decoded, accounts: [wallet, payer, ...rest] }),
        "another account would pay the fee"
      )
      assert.strictEqual(
        reasonOf({ ...decoded, accounts: [...decoded.accounts, signerMore] }),
        "others than relayer and wallet would sign"
      )
      assert.strictEqual(wallet.address, swap.from)
    }).pipe(apart)
  )

  it.effect("nothing is added to its instructions, left out of them or put elsewhere", () =>
    Effect.gen(function* () {
      const given = yield* honest()
      const { decoded, draft } = given
      const all = decoded.instructions
      const route = all.at(-1) ?? assert.fail("there is no route")
      const told = (what: string, instructions: Told["instructions"]): Change => ({
        what,
        to: { ...decoded, instructions }
      })
      // What would take the wallet's tokens, beside an honest swap.
      const taking = {
        program: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
        accounts: [
          { address: draft.places.source, role: AccountRole.WRITABLE },
          { address: yield* stranger, role: AccountRole.WRITABLE },
          { address: draft.swap.from, role: AccountRole.READONLY_SIGNER }
        ],
        data: Uint8Array.from([3, 1, 0, 0, 0, 0, 0, 0, 0])
      }
      const left = all.map((_, at) =>
        told(
          `without instruction ${at}`,
          all.filter((__, index) => index !== at)
        )
      )
      const more = [...all, route].map((_, at) =>
        told(`with one more at ${at}`, [...all.slice(0, at), taking, ...all.slice(at)])
      )
      const twice = told("the route twice", [...all, route])
      const inPlace = told("another in the route's place", [...all.slice(0, -1), taking])
      refusedAll([...left, ...more, twice, inPlace], given)
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
      const form = formOf(route.data) ?? assert.fail("it has no form")
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
      const ours = withAmounts(theirs, { inAmount: 5n, minBuyAmount: 7n })
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
        // The first is the authority of the pools, which is the program's business.
        if (place === 0 || !used.includes(address)) continue
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
