/**
 * Several requests, vaults and chains, money sent and money signed, in flight, final and reorganised, beside a
 * model that is told the same: every request and every transfer stands as the model says, after every step.
 */
import { assert, it } from "@effect/vitest"
import { Effect, References } from "effect"
import fc from "fast-check"
import { signedIn } from "../../../core/evm/journal.ts"
import { ranOut } from "../../../core/evm/reasons.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { ended } from "../../../core/submissions/submission.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { end } from "../../../core/submissions/write-down.ts"
import { purposes } from "../../../core/treasury/purposes.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import * as Value from "../../support/chain-values.ts"
import { type Money, PaymentModel, type Signed } from "../../support/payment-model.ts"
import * as Rows from "../../support/rows.ts"
import { anAuthorization, aSettlement } from "../../support/settlement-rows.ts"
import * as Stored from "../../support/stored-rows.ts"
import { begin, sees, twoChains, usdcOn } from "../../support/two-chains.ts"

const dust = 5_000n
const amount = fc.constantFrom(1_000_000n, 2_000_000n, 3_000_000n)
const some = fc.nat(5)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("open"), vault: fc.nat(2), amount }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("pay"),
      vault: fc.nat(2),
      amount: fc.oneof({ weight: 6, arbitrary: amount }, fc.constant(dust)),
      some
    })
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("sign"), some }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("front"), some }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("land"), some, strays: fc.nat(9) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("end"), some, fails: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("final"), chain: fc.nat(1) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("drop"), chain: fc.nat(1), depth: fc.nat(4) })
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("again"), some }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("close"), some, expires: fc.boolean() }) }
)
type Step = Readonly<
  Record<"do", string> & Partial<Record<"vault" | "some" | "strays" | "chain" | "depth", number>>
> & { readonly amount?: bigint; readonly fails?: boolean; readonly expires?: boolean }

const payers = ["0xaa", "0xbb"].map((start) => `${start}${"1".repeat(38)}`)

/** The real stores beside the model. */
const player = Effect.gen(function* () {
  const model = new PaymentModel()
  const { id: accountId } = yield* Stored.account()
  const vaults: Array<Wallet> = []
  for (const chainId of ["local", "local", "base"]) {
    vaults.push(yield* Stored.vault({ accountId, chainId, address: Rows.anAddress() }))
  }
  yield* begin
  const tips: Record<string, number> = { local: 100, base: 100 }
  const finals: Record<string, number> = { local: 100, base: 100 }
  const requests: Array<PaymentRequest> = []
  let looks = 0

  const vaultOf = (place: number) => vaults[place] as Wallet
  const pick = <A>(from: ReadonlyArray<A>, some = 0) => from[some % Math.max(1, from.length)]

  const appears = Effect.fnUntraced(function* (place: number) {
    const money = model.money[place] as Money
    const { address, chainId } = vaultOf(money.vault)
    model.place(place)
    const { nonce, payer, txHash } = money
    const amountMicro = Usdc.make(money.amountMicro)
    const [from, to] = [Value.key(payer), Value.key(address)]
    const by = nonce === undefined ? {} : { signedAs: nonce }
    const transfer = { txHash: Value.transaction(txHash), from, to, amountMicro, ...by }
    const tip = yield* sees(chainId, { transfers: [transfer] })
    tips[chainId] = tip
    money.blockNumber = tip
    money.state = "seen"
  })

  const comes = (over: Pick<Money, "vault" | "payer" | "amountMicro" | "nonce">) => {
    const money: Money = {
      ...over,
      txHash: Rows.aTxHash(),
      blockNumber: 0,
      state: "seen",
      credit: undefined
    }
    return appears(model.money.push(money) - 1)
  }

  const signs = Effect.fnUntraced(function* (asked: number, payer: string, nonce: string) {
    const amountMicro = model.owedMicro(asked)
    const { chainId, id, payToAddress, pid } = requests[asked] as PaymentRequest
    const subject = { _tag: "payment_request", accountId, requestId: id, pid } as const
    const authorization = anAuthorization({
      chainId,
      token: yield* usdcOn(chainId),
      from: Value.key(payer),
      to: Value.key(payToAddress),
      amountMicro,
      nonce
    })
    const submission = aSettlement(subject, {}, authorization)
    model.signed.push({ asked, nonce, payer, amountMicro, fate: "coming", money: undefined })
    yield* (yield* Atomically).run(
      Effect.andThen((yield* SubmissionStore).open(submission), purposes.x402.opened(submission))
    )
  })

  const claimed = Effect.fnUntraced(function* (nonce: string) {
    looks += 100
    const due = yield* (yield* SubmissionStore).claim({
      now: Rows.at(looks),
      leaseMs: 1000,
      most: 99
    })
    return due.find(({ submission }) => signedIn(submission)?.nonce === nonce)
  })

  const ends = Effect.fnUntraced(function* (place: number, wantsFailure: boolean) {
    const signed = model.signed[place] as Signed
    const landed = model.money.find(
      ({ nonce, state }) => nonce === signed.nonce && state !== "dropped"
    )
    // The chain says which: what is there and not final yet has no end, and what is not there fails.
    if (landed !== undefined && landed.state !== "final") return
    if (landed === undefined && !wantsFailure) return
    const found = yield* claimed(signed.nonce)
    if (found === undefined) return
    if (landed === undefined) {
      signed.fate = "failed"
      const failed = ended({ ...found.submission, status: "failed", reason: ranOut })
      yield* end([{ lease: found.lease, submission: failed, isLast: false }])
    } else {
      model.endPaid(place)
      const taken = {
        ...found.submission,
        status: "final",
        txIds: [Value.transaction(landed.txHash)]
      } as const
      yield* end([{ lease: found.lease, submission: ended(taken), isLast: false }])
    }
  })

  const moved = Effect.fnUntraced(function* (chainId: string, depth: number | undefined) {
    const tip = tips[chainId] as number
    const on = model.money.filter(({ vault }) => vaultOf(vault).chainId === chainId)
    if (depth === undefined) {
      finals[chainId] = tip
      for (const each of on) if (each.state === "seen") each.state = "final"
      yield* sees(chainId, { transfers: [], finalNumber: tip })
      tips[chainId] = tip + 1
      return
    }
    const commonNumber = Math.max(100, tip - depth)
    for (const each of on) {
      if (each.blockNumber > commonNumber && each.state !== "dropped") each.state = "dropped"
    }
    finals[chainId] = Math.min(finals[chainId] as number, commonNumber)
    tips[chainId] = yield* sees(chainId, { commonNumber, transfers: [] })
  })

  const closes = Effect.fnUntraced(function* (place: number, expires: boolean) {
    const asked = model.asked[place]
    if (asked === undefined || model.status(place) !== "open") return
    asked.closed = expires ? "expired" : "cancelled"
    const row = yield* (yield* PaymentRequests).find(accountId, requests[place]?.id as string)
    yield* (yield* PaymentRequests).settle({ ...(row as PaymentRequest), status: asked.closed })
  })

  const plays = Effect.fnUntraced(function* (step: Step) {
    const payer = pick(payers, step.some) as string
    const owing = model.asked.flatMap((_, place) => (model.owedMicro(place) > 0n ? [place] : []))
    switch (step.do) {
      case "open": {
        const [vault, amountMicro] = [step.vault as number, step.amount as bigint]
        const row = { amountMicro, expiresAt: Rows.at(1e6), createdAt: Rows.at(requests.length) }
        requests.push(yield* Stored.paymentRequest(vaultOf(vault), row))
        const asked = { vault, amountMicro, closed: undefined, isPaid: false, receivedMicro: 0n }
        return void model.asked.push(asked)
      }
      case "pay": {
        const [vault, amountMicro] = [step.vault as number, step.amount as bigint]
        return yield* comes({ vault, payer, amountMicro, nonce: undefined })
      }
      case "sign": {
        const asked = pick(owing, step.some)
        return asked === undefined ? undefined : yield* signs(asked, payer, Rows.aTxHash())
      }
      case "front": {
        // Somebody else hands it to the chain before it is written down here.
        const asked = pick(owing, step.some)
        if (asked === undefined) return undefined
        const [nonce, amountMicro] = [Rows.aTxHash(), model.owedMicro(asked)]
        const { vault } = model.asked[asked] as { readonly vault: number }
        yield* comes({ vault, payer, amountMicro, nonce })
        model.settle()
        return model.owedMicro(asked) === amountMicro
          ? yield* signs(asked, payer, nonce)
          : undefined
      }
      case "land": {
        const there = new Set(model.money.map(({ nonce }) => nonce))
        const signed = pick(
          model.signed.filter(({ nonce }) => !there.has(nonce)),
          step.some
        )
        if (signed === undefined) return undefined
        const { amountMicro, nonce, payer: from } = signed
        const meant = model.asked[signed.asked]?.vault as number
        // Now and then to the other vault of its chain, which no honest signature does.
        const vault = step.strays === 0 && meant < 2 ? 1 - meant : meant
        return yield* comes({ vault, payer: from, amountMicro, nonce })
      }
      case "end": {
        const going = model.signed.flatMap(({ fate }, place) => (fate === "coming" ? [place] : []))
        const place = pick(going, step.some)
        return place === undefined ? undefined : yield* ends(place, step.fails === true)
      }
      case "again": {
        const gone = model.money.flatMap(({ state }, place) => (state === "dropped" ? [place] : []))
        const place = pick(gone, step.some)
        return place === undefined ? undefined : yield* appears(place)
      }
      case "close":
        return yield* closes((step.some ?? 0) % Math.max(1, requests.length), step.expires === true)
      default:
        return yield* moved(step.chain === 0 ? "local" : "base", step.depth)
    }
  })

  const compares = Effect.fnUntraced(function* (what: string) {
    model.settle()
    for (const [place, asked] of model.asked.entries()) {
      const id = requests[place]?.id as string
      const row = (yield* (yield* PaymentRequests).find(accountId, id)) as PaymentRequest
      const [status, over] = [model.status(place), asked.receivedMicro > asked.amountMicro]
      assert.deepStrictEqual(
        [row.status, row.receivedMicro, row.settlementIssue, row.paidAt !== null],
        [status, asked.receivedMicro, over ? "overpaid" : "none", status === "paid"],
        `request ${place} after ${what}`
      )
    }
    for (const [place, money] of model.money.entries()) {
      const { chainId } = vaultOf(money.vault)
      const [row] = yield* (yield* Transfers).ofTransaction(
        chainId,
        Value.transaction(money.txHash)
      )
      const credit = money.credit === undefined ? null : (requests[money.credit]?.id ?? null)
      assert.strictEqual(row?.requestId, credit, `money ${place} after ${what}`)
    }
  })

  return { plays, compares }
})

const played = (steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const { compares, plays } = yield* player
    for (const [place, each] of steps.entries()) {
      yield* plays(each)
      yield* compares(`step ${place}, ${each.do}`)
    }
  }).pipe(Effect.provide(twoChains), Effect.provideService(References.MinimumLogLevel, "None"))

it("what money counts for is what an independent model says, whatever comes and goes", async () => {
  const steps = fc.array(step as fc.Arbitrary<Step>, { minLength: 6, maxLength: 30, size: "max" })
  await fc.assert(
    fc.asyncProperty(steps, (each) => Effect.runPromise(played(each))),
    { numRuns: 150 }
  )
}, 60_000)
