/** The message that swaps, read byte by byte as the runtime reads it, and the forms of the routes in it. */
import { AccountRole } from "@solana/kit"
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import * as RouteData from "../../../adapters/solana/route-data.ts"
import * as Check from "../../../adapters/solana/swap-check.ts"
import {
  compile,
  ownInstructions,
  placesOf,
  roleOf
} from "../../../adapters/solana/swap-message.ts"
import * as Drafted from "../../support/drafted-swaps.ts"
import { replaced, routeOf } from "../../support/swap-mutants.ts"

const { drafted, judgeable, relayer, stranger, wallet } = Drafted

const honest = async (name: keyof typeof drafted = "through one pool") =>
  judgeable(await drafted[name]())

describe("a message as it is read", () => {
  it("has its accounts in order, with their roles, those of its tables last", async () => {
    const { decoded, draft } = await honest()
    const { places } = draft
    const roleOfAddress = new Map(decoded.accounts.map(({ address, role }) => [address, role]))
    assert.deepStrictEqual(decoded.accounts.slice(0, 2), [
      { address: relayer, role: AccountRole.WRITABLE_SIGNER },
      { address: wallet, role: AccountRole.READONLY_SIGNER }
    ])
    for (const each of [places.source, places.own, places.mark, Drafted.pool, ...Drafted.vaults]) {
      assert.strictEqual(roleOfAddress.get(each), AccountRole.WRITABLE, each)
    }
    for (const each of [Drafted.sold, Drafted.bought, Drafted.jupiter]) {
      assert.strictEqual(roleOfAddress.get(each), AccountRole.READONLY, each)
    }
    const last = decoded.accounts.slice(-5).map(({ address }) => address)
    assert.sameMembers(last.slice(0, 3), [Drafted.pool, ...Drafted.vaults])
    assert.sameMembers(last.slice(3), [Drafted.sold, Drafted.bought])
    assert.strictEqual(decoded.lifetime, draft.conditions.blockhash)
  })

  it("makes the mark, opens the account and swaps, in this order, and does nothing else", async () => {
    const { decoded, draft } = await honest()
    const { mark, source } = draft.places
    const budget = "ComputeBudget111111111111111111111111111111"
    const system = "11111111111111111111111111111111"
    const opener = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
    const told = decoded.instructions.map(({ accounts, data, program }) => ({
      program,
      first: accounts.slice(0, 3).map(({ address }) => address),
      head: Buffer.from(data).toString("hex").slice(0, 8)
    }))
    const recent = "SysvarRecentB1ockHashes11111111111111111111"
    const rent = "SysvarRent111111111111111111111111111111111"
    assert.deepStrictEqual(told, [
      { program: budget, first: [], head: "02a08601" },
      { program: budget, first: [], head: "03070000" },
      { program: system, first: [relayer, mark], head: "02000000" },
      { program: system, first: [mark, wallet], head: "09000000" },
      { program: system, first: [mark, recent, rent], head: "06000000" },
      { program: opener, first: [relayer, draft.places.destination, wallet], head: "01" },
      { program: Drafted.jupiter, first: [wallet, source, draft.places.own], head: "bb64facc" }
    ])
    // By these a failure of its trial is told.
    assert.deepStrictEqual(
      ownInstructions(draft).map(({ part }) => part),
      ["budget", "budget", "mark", "mark", "mark", "account"]
    )
  })

  it("is none in the older form, nor with what no table holds", async () => {
    const { bytes, tables } = await honest()
    assert.isUndefined(Check.decode(bytes, new Map()))
    const some = [...(tables.get(Drafted.table) ?? [])]
    for (let held = 0; held < some.length; held++) {
      assert.isUndefined(Check.decode(bytes, new Map([[Drafted.table, some.slice(0, held)]])))
    }
    // The same without a table, said in the older form: every account of it stands in the message.
    const draft = await drafted["through one pool"]()
    const plain = Uint8Array.from(compile(draft, new Map()).messageBytes)
    assert.isDefined(Check.decode(plain, new Map()))
    const older = plain.subarray(1, -1)
    assert.isUndefined(Check.decode(older, new Map()))
  })

  it("calls nothing by a place outside the message, and names nobody by one", async () => {
    const { bytes, draft, decoded, held, tables } = await honest()
    const route = decoded.instructions.length - 1
    const { told } = routeOf(decoded)
    // The route begins with the place of its program and the number of its accounts; then their places.
    const tail = told.data.length + 2 + told.accounts.length
    const lookups = 1 + 32 + 1 + 3 + 1 + 2
    const programAt = bytes.length - lookups - tail - 1
    const withByte = (at: number, value: number) => {
      const to = Uint8Array.from(bytes)
      to[at] = value
      return Check.decode(to, tables) ?? assert.fail("it cannot be read")
    }
    const outside = decoded.accounts.length
    const nowhere = withByte(programAt, outside)
    assert.strictEqual(nowhere.instructions[route]?.program, "")
    assert.strictEqual(Check.violation(nowhere, draft, held), "another program would be called")
    // A program is called by its place in the message itself, never by one in a table.
    assert.strictEqual(withByte(programAt, outside - 1).instructions[route]?.program, "")
    const nobody = withByte(programAt + 2, outside)
    assert.deepStrictEqual(nobody.instructions[route]?.accounts[0], {
      address: "",
      role: AccountRole.READONLY
    })
    assert.strictEqual(Check.violation(nobody, draft, held), "another wallet would sell")
  })

  it("is read though an instruction of it carries no data", async () => {
    const draft = await drafted["through one pool"]()
    const route = { ...draft.route, data: "" }
    const decoded = Check.decode(Drafted.message({ ...draft, route }), Drafted.tables)
    assert.lengthOf(decoded?.instructions.at(-1)?.data ?? [1], 0)
  })

  it("changes what its route says that it changes, once each", async () => {
    const given = await honest("for another wallet")
    const { decoded, draft } = given
    const { destination, own, source } = draft.places
    const expected = [source, own, destination, Drafted.pool, ...Drafted.vaults]
    assert.deepStrictEqual(Check.changedBy(decoded), expected)
    const { at, told } = routeOf(decoded)
    const twice = { ...told, accounts: [...told.accounts, ...told.accounts] }
    const instructions = replaced(decoded.instructions, at, twice)
    assert.deepStrictEqual(Check.changedBy({ ...decoded, instructions }), expected)
    assert.deepStrictEqual(Check.changedBy({ ...decoded, instructions: [] }), [])
  })
})

describe("an instruction", () => {
  it("is ours when program, accounts and data are, and not when there is none", async () => {
    const { decoded } = await honest()
    const own = { programAddress: stranger as never }
    assert.isFalse(Check.isOurs(undefined, own))
    const told = { program: stranger, accounts: [], data: new Uint8Array() }
    assert.isTrue(Check.isOurs(told, own))
    assert.isFalse(Check.isOurs({ ...told, program: relayer }, own))
    assert.isFalse(Check.isOurs({ ...told, data: Uint8Array.of(0) }, own))
    assert.isFalse(Check.isOurs({ ...told, accounts: decoded.accounts.slice(0, 1) }, own))
  })
})

describe("the forms of routes", () => {
  it("belong to two programs, of which the real chain has one", () => {
    assert.deepStrictEqual(RouteData.programsOn("solana"), [Drafted.jupiter])
    assert.deepStrictEqual(RouteData.programsOn("local-solana"), [Drafted.jupiter, Drafted.okx])
    assert.deepStrictEqual(RouteData.programsOn("solana-devnet"), [])
    assert.deepStrictEqual(RouteData.routerPrograms, [Drafted.jupiter, Drafted.okx])
  })

  it("say all of their places, and where their amounts end", () => {
    const formOf = (program: string, head: string, length: number) =>
      RouteData.formOf(program, Buffer.concat([Buffer.from(head, "hex"), Buffer.alloc(length - 8)]))
    const quoted: RouteData.Form["amounts"] = [
      ["inAmount", 8],
      ["quotedAmount", 8],
      ["slippageBps", 2],
      ["platformFeeBps", 2],
      ["positiveSlippageBps", 2]
    ]
    const route = formOf(Drafted.jupiter, "bb64facc31c4af14", 31)
    const ends = { wallet: 0, source: 1, destination: 2, sellMint: 3, buyMint: 4 }
    assert.deepInclude(route, { ...ends, amountsAt: 8, amounts: quoted, otherDestination: 7 })
    assert.deepInclude(route, { tokenPrograms: [5, 6], events: { authority: 8, program: 9 } })
    const shared = formOf(Drafted.jupiter, "d19853937cfed8e9", 32)
    const theirs = { wallet: 1, source: 2, destination: 5, sellMint: 6, buyMint: 7 }
    assert.deepInclude(shared, { ...theirs, amountsAt: 9, amounts: quoted, otherDestination: null })
    assert.deepInclude(shared, { tokenPrograms: [8, 9], events: { authority: 10, program: 11 } })
    const split = formOf(Drafted.okx, "f8c69e91e17587c8", 33)
    assert.deepInclude(split, { ...ends, amountsAt: 8, otherDestination: null, events: null })
    assert.deepInclude(split, { tokenPrograms: [] })
    for (const [form, end] of [
      [route, 30],
      [shared, 31],
      [split, 32]
    ] as const) {
      assert.strictEqual(RouteData.planAt(form ?? assert.fail("it is no form")), end)
    }
  })

  it("read numbers of two bytes and of eight from the smallest byte on", () => {
    const data = Buffer.alloc(31)
    data.set(Buffer.from("bb64facc31c4af14", "hex"))
    data.set([1, 2], 8)
    data.set([3, 4], 24)
    const form = RouteData.formOf(Drafted.jupiter, data) ?? assert.fail("it is no form")
    const { inAmount, slippageBps } = RouteData.amountsIn(data, form)
    assert.deepStrictEqual([inAmount, slippageBps], [0x0201n, 0x0403n])
  })

  it("leave data alone that is of none of them", () => {
    const data = Uint8Array.of(1, 2, 3)
    const amounts = { inAmount: 1n, minBuyAmount: 2n }
    assert.deepStrictEqual([...RouteData.withAmounts(Drafted.jupiter, data, amounts)], [1, 2, 3])
  })

  it("take every way in which an account may be used as the venue says it", () => {
    const all = [
      [false, false, AccountRole.READONLY],
      [false, true, AccountRole.WRITABLE],
      [true, false, AccountRole.READONLY_SIGNER],
      [true, true, AccountRole.WRITABLE_SIGNER]
    ] as const
    for (const [isSigner, isWritable, role] of all) {
      assert.strictEqual(roleOf({ address: wallet, isSigner, isWritable }), role)
    }
  })

  it("have places for a sold token, and for no coin", async () => {
    const swap = Drafted.swapTo(Drafted.other)
    const places = await Effect.runPromise(placesOf(swap))
    assert.lengthOf(new Set(Object.values(places)), 4)
    const coin = {
      ...swap,
      amount: { ...swap.amount, token: { chainId: "solana", address: null } }
    }
    const exit = await Effect.runPromiseExit(placesOf(coin))
    assert.strictEqual(exit._tag, "Failure")
  })
})
