/**
 * What the check of a route makes of it, without a chain: each sentence is told of a change that only it refuses, and
 * what may be otherwise is signed.
 */
import { AccountRole } from "@solana/kit"
import { assert, describe, it } from "vitest"
import type { Account } from "../../../adapters/solana/account.ts"
import * as RouteData from "../../../adapters/solana/route-data.ts"
import * as Check from "../../../adapters/solana/swap-check.ts"
import type { SwapDraft } from "../../../adapters/solana/swap-message.ts"
import * as Drafted from "../../support/drafted-swaps.ts"
import * as Mutants from "../../support/swap-mutants.ts"

const { drafted, judgeable, relayer, stranger, wallet } = Drafted
const { replaced, routeOf } = Mutants
type Judgeable = ReturnType<typeof judgeable>
type Used = Check.Used
type Form = RouteData.Form

const names = Object.keys(drafted) as ReadonlyArray<keyof typeof drafted>
const honest = async (name: keyof typeof drafted = "through one pool") =>
  judgeable(await drafted[name]())

const readonly = AccountRole.READONLY

/** Why it is not signed with another last instruction. */
const withRoute = (
  { decoded, draft, held }: Judgeable,
  over: Partial<Check.Decoded["instructions"][number]>
) => {
  const { at, told } = routeOf(decoded)
  const instructions = replaced(decoded.instructions, at, { ...told, ...over })
  return Check.violation({ ...decoded, instructions }, draft, held)
}

const withAccount = (given: Judgeable, place: number, address: string) => {
  const { told } = routeOf(given.decoded)
  const account = told.accounts[place] ?? assert.fail(`nothing is at ${place}`)
  return withRoute(given, { accounts: replaced(told.accounts, place, { ...account, address }) })
}

const withAccounts = ({ decoded, draft, held }: Judgeable, accounts: ReadonlyArray<Used>) =>
  Check.violation({ ...decoded, accounts }, draft, held)

/** The route is the venue's: it names one account more. */
const naming = (given: Judgeable, used: Used, account?: Account | "not read") => {
  const { decoded, draft, held } = given
  const { at, told } = routeOf(decoded)
  const accounts = [...told.accounts, used]
  const more: ReadonlyArray<readonly [string, Account | undefined]> =
    account === "not read" ? [] : [[used.address, account]]
  return Check.violation(
    { ...decoded, instructions: replaced(decoded.instructions, at, { ...told, accounts }) },
    draft,
    new Map([...held, ...more])
  )
}

describe.each(names)("a route %s", (name) => {
  it("is signed when it is honest, as the venue wrote it and with amounts of ours", async () => {
    const given = await honest(name)
    assert.isUndefined(Check.violation(given.decoded, given.draft, given.held))
    const { form, told } = routeOf(given.decoded)
    const { inAmount, minBuyAmount } = Drafted
    const isHeldToLeast = form.amounts.some(([field]) => field === "minAmount")
    assert.deepStrictEqual(RouteData.amountsIn(told.data, form), {
      inAmount,
      quotedAmount: minBuyAmount,
      minAmount: minBuyAmount,
      slippageBps: 0n,
      platformFeeBps: 0n,
      positiveSlippageBps: 0n
    })
    assert.strictEqual(isHeldToLeast, name === "split over two pools")
    const plan = Buffer.from(told.data.subarray(RouteData.planAt(form))).toString()
    assert.strictEqual(plan, "a plan")
  })

  it("is refused by name with another account at each place that says who swaps what", async () => {
    const given = await honest(name)
    const { form } = routeOf(given.decoded)
    const expected: ReadonlyArray<readonly [number, string]> = [
      [form.wallet, "another wallet would sell"],
      [form.source, "it would be taken from another account"],
      [form.destination, "it would be given to another account"],
      [form.sellMint, "another token would be sold"],
      [form.buyMint, "another token would be bought"],
      ...form.tokenPrograms.map(
        (place) => [place, "the tokens would be of another program"] as const
      ),
      ...(form.otherDestination === null
        ? []
        : [[form.otherDestination, "it would be given to another account"] as const]),
      ...(form.events === null
        ? []
        : [
            [form.events.authority, "its events would be somebody else's"] as const,
            [form.events.program, "it would name another program as itself"] as const
          ])
    ]
    for (const [place, sentence] of expected) {
      assert.strictEqual(withAccount(given, place, stranger), sentence, `${place}`)
    }
  })

  it("is refused by name with fewer accounts than its form has", async () => {
    const given = await honest(name)
    const { form, told } = routeOf(given.decoded)
    const until = (place: number) => withRoute(given, { accounts: told.accounts.slice(0, place) })
    assert.strictEqual(until(0), "another wallet would sell")
    for (let place = 1; place <= form.buyMint; place++) assert.isDefined(until(place), `${place}`)
  })

  it("is refused by name with another amount, minimum, slippage or fee", async () => {
    const given = await honest(name)
    const { form, told } = routeOf(given.decoded)
    const sentences: Readonly<Record<keyof RouteData.Amounts, string>> = {
      inAmount: "another amount would be sold",
      quotedAmount: "it would be held to another minimum",
      minAmount: "it would be held to another minimum",
      slippageBps: "less than the minimum would do",
      platformFeeBps: "a fee would be taken for the platform",
      positiveSlippageBps: "a fee would be taken on what comes beyond the quote"
    }
    let at = form.amountsAt
    for (const [field, bytes] of form.amounts) {
      for (let byte = 0; byte < bytes; byte++) {
        const data = Mutants.flipped(told.data, at + byte)
        assert.strictEqual(withRoute(given, { data }), sentences[field], `${field} ${byte}`)
      }
      at += bytes
    }
  })

  it("has no form without its plan, under another head, or at another program", async () => {
    const given = await honest(name)
    const { form, told } = routeOf(given.decoded)
    const formless = "the route has no form whose amounts can be read"
    const bare = told.data.subarray(0, RouteData.planAt(form))
    assert.strictEqual(withRoute(given, { data: bare }), formless)
    assert.isUndefined(withRoute(given, { data: told.data.subarray(0, bare.length + 1) }))
    for (let byte = 0; byte < 8; byte++) {
      assert.strictEqual(withRoute(given, { data: Mutants.flipped(told.data, byte) }), formless)
    }
    const program = told.program === Drafted.okx ? Drafted.jupiter : Drafted.okx
    assert.strictEqual(withRoute(given, { program }), formless)
    for (const each of [stranger, ""]) {
      assert.strictEqual(withRoute(given, { program: each }), "another program would be called")
    }
    const elsewhere = { ...given.draft, swap: { ...given.draft.swap, chainId: "solana-devnet" } }
    assert.strictEqual(
      Check.violation(given.decoded, elsewhere, given.held),
      "another program would be called"
    )
  })
})

describe("who is paid by a route", () => {
  const elsewhere = "it would be given to another account"
  const placesIn = (form: Form) => ({
    destination: form.destination,
    other: form.otherDestination ?? assert.fail("it has no other destination")
  })

  it("is the receiver alone, when it names no other destination", async () => {
    const given = await honest("for another wallet")
    const { other } = placesIn(routeOf(given.decoded).form)
    // Then all is given to the wallet that sells, and not to whom it was meant for.
    assert.strictEqual(withAccount(given, other, Drafted.jupiter), elsewhere)
  })

  it("is the receiver by way of the wallet's own account or of theirs, and by no other way", async () => {
    const given = await honest("for another wallet")
    const { destination } = placesIn(routeOf(given.decoded).form)
    const { places } = given.draft
    assert.notStrictEqual(places.own, places.destination)
    assert.isUndefined(withAccount(given, destination, places.own))
    assert.isUndefined(withAccount(given, destination, places.destination))
    for (const each of [places.source, places.mark, stranger]) {
      assert.strictEqual(withAccount(given, destination, each), elsewhere)
    }
  })
})

describe("what a route reaches", () => {
  it("is neither the relayer nor the mark, nor somebody else who signs", async () => {
    const given = await honest()
    const { mark } = given.draft.places
    const used = (address: string, role = readonly): Used => ({ address, role })
    assert.strictEqual(naming(given, used(relayer)), "the route would use the relayer")
    assert.strictEqual(naming(given, used(mark)), "the route would use the mark")
    for (const role of [AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER]) {
      assert.strictEqual(naming(given, used(stranger, role)), "somebody else would sign the route")
    }
    assert.isUndefined(naming(given, used(wallet, AccountRole.READONLY_SIGNER)))
    assert.isUndefined(naming(given, used(stranger)))
  })

  it("is no account of the wallet's but the two of the swap, wherever its key stands in it", async () => {
    const given = await honest()
    const changed = { address: stranger, role: AccountRole.WRITABLE }
    assert.strictEqual(
      naming(given, changed, "not read"),
      "an account that it changes was not read"
    )
    const empty: Account = { ...Drafted.walletsAccount(0), data: new Uint8Array(165) }
    assert.isUndefined(naming(given, changed, empty))
    assert.isUndefined(naming(given, changed, undefined))
    for (const at of [0, 32, 76, 133]) {
      assert.strictEqual(
        naming(given, changed, Drafted.walletsAccount(at)),
        "another account of the wallet could be changed"
      )
      // What it only reads is nobody's loss.
      assert.isUndefined(naming(given, { ...changed, role: readonly }, Drafted.walletsAccount(at)))
    }
  })

  it("is every account of the wallet's that the swap names, though the wallet's key is in it", async () => {
    const given = await honest("for another wallet")
    const { destination, own, source } = given.draft.places
    for (const address of [destination, own, source]) {
      const role = AccountRole.WRITABLE
      assert.isUndefined(naming(given, { address, role }, Drafted.walletsAccount(32)))
    }
  })
})

describe("the frame of a swap's message", () => {
  it("is refused by name with another payer, signer, block or instruction", async () => {
    const given = await honest()
    const { decoded, draft, held } = given
    const [payer, seller, ...rest] = decoded.accounts
    if (payer === undefined || seller === undefined) return assert.fail("nobody signs")
    const otherPays = "another account would pay the fee"
    assert.strictEqual(withAccounts(given, []), otherPays)
    assert.strictEqual(withAccounts(given, [seller, payer, ...rest]), otherPays)
    const otherSigns = "others than relayer and wallet would sign"
    assert.strictEqual(withAccounts(given, [payer, ...rest]), otherSigns)
    const more: Used = { address: stranger, role: AccountRole.READONLY_SIGNER }
    assert.strictEqual(withAccounts(given, [payer, seller, more, ...rest]), otherSigns)
    assert.strictEqual(
      withAccounts(given, [payer, { ...seller, role: AccountRole.WRITABLE_SIGNER }, ...rest]),
      "the wallet's own coins could be taken"
    )
    assert.strictEqual(
      withAccounts(given, [...decoded.accounts, ...rest.slice(0, 1)]),
      "an account is named twice"
    )
    assert.strictEqual(
      Check.violation({ ...decoded, lifetime: relayer }, draft, held),
      "it would live by another block"
    )
  })

  it("has the instructions of a swap, each exactly as we make it", async () => {
    const { decoded, draft, held } = await honest()
    const judged = (instructions: Check.Decoded["instructions"]) =>
      Check.violation({ ...decoded, instructions }, draft, held)
    const otherThanSwap = "it has other instructions than a swap"
    const [first] = decoded.instructions
    if (first === undefined) return assert.fail("it has no instructions")
    assert.strictEqual(judged([]), otherThanSwap)
    assert.strictEqual(judged(decoded.instructions.slice(0, -1)), otherThanSwap)
    assert.strictEqual(judged([...decoded.instructions, first]), otherThanSwap)
    const changed = "an instruction of ours was changed"
    for (const [at, told] of decoded.instructions.slice(0, -1).entries()) {
      const as = (over: Partial<typeof told>) =>
        judged(replaced(decoded.instructions, at, { ...told, ...over }))
      assert.strictEqual(as({ program: stranger }), changed)
      assert.strictEqual(as({ data: Mutants.flipped(told.data, 0) }), changed)
      assert.strictEqual(as({ data: Uint8Array.from([...told.data, 0]) }), changed)
      assert.strictEqual(
        as({ accounts: [...told.accounts, { address: stranger, role: readonly }] }),
        changed
      )
    }
  })

  it("lets each account be used as our instructions and the route ask for it", async () => {
    const given = await honest()
    const { decoded, draft, held } = given
    const otherwise = "an account could be used otherwise than is asked for"
    for (const { address, role } of decoded.accounts) {
      if (role !== AccountRole.READONLY && role !== AccountRole.WRITABLE) continue
      const flipped = role === AccountRole.READONLY ? AccountRole.WRITABLE : AccountRole.READONLY
      const to = Mutants.flagged(decoded, address, flipped)
      assert.strictEqual(Check.violation(to, draft, held), otherwise, address)
    }
    // One that nobody asks for may be read, and not changed.
    const more = (role: AccountRole) =>
      withAccounts(given, [...decoded.accounts, { address: stranger, role }])
    assert.isUndefined(more(AccountRole.READONLY))
    assert.strictEqual(more(AccountRole.WRITABLE), otherwise)
  })

  it("lets an account that the route names twice be used as the stronger of the two asks", async () => {
    const draft = await drafted["through one pool"]()
    const again = draft.route.accounts.map((each) => ({
      ...each,
      isSigner: false,
      isWritable: false
    }))
    const route = { ...draft.route, accounts: [...draft.route.accounts, ...again] }
    const given = judgeable({ ...draft, route })
    assert.isUndefined(Check.violation(given.decoded, given.draft, given.held))
  })

  it("opens the receiver's account where it is missing, and does not where it is there", async () => {
    const draft = await drafted["through one pool"]()
    const opened: SwapDraft = { ...draft, bid: { ...draft.bid, opensAccount: false } }
    const given = judgeable(opened)
    assert.isUndefined(Check.violation(given.decoded, opened, given.held))
    assert.strictEqual(
      Check.violation(given.decoded, draft, given.held),
      "it has other instructions than a swap"
    )
    assert.strictEqual(
      given.decoded.instructions.length + 1,
      judgeable(draft).decoded.instructions.length
    )
  })
})
