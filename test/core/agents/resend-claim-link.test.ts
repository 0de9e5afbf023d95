/**
 * Threat 39: the claim link as a weapon. It is sent three times an hour, says the same whatever it finds,
 * ends the link before it, and carries nothing the agent wrote.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import { turnAt } from "../../../core/agents/resend-claim-link.ts"
import { beginEnrolment } from "../../../core/humans/enrol.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Value from "../../support/chain-values.ts"
import { aHuman } from "../../support/human-rows.ts"

const refusalOf = async (call: Promise<unknown>) => {
  try {
    await call
  } catch (refusal) {
    return refusal as { readonly _tag: string; readonly details?: Record<string, unknown> }
  }
  throw new Error("This was not refused.")
}

/** An agent's account whose human is reached at this address, or nowhere. */
const agentOf = async (treasury: TestTreasury, contactEmail: string | null) => {
  const opened = await treasury.operate(
    Accounts.opened({
      name: "Free money at evil.example",
      kind: "agent",
      tier: "personal",
      fundingWallet: {
        chainId: "base",
        address: Value.address("0x8ba1f109551bD432803012645Ac136ddd64DBA72")
      },
      contactEmail
    })
  )
  return { accountId: opened.accountId, call: await treasury.as(opened.apiKey) }
}

const tokenIn = (text: string | undefined): string =>
  /\/console\/enrol#([0-9A-Za-z]{43})\n/u.exec(text ?? "")?.[1] ?? "none"

/** What opening a link comes to. */
const opening = async (treasury: TestTreasury, token: string) => {
  try {
    const begun = await treasury.operate(beginEnrolment(token, "browser"))
    return begun.enrolment.accountId
  } catch (refusal) {
    return (refusal as { readonly _tag: string })._tag
  }
}

describe("a claim link", () => {
  it("is mailed to the account's contact, and carries nothing the agent wrote", async () => {
    const treasury = await openTreasury()
    const { accountId, call } = await agentOf(treasury, "ada@example.com")
    await call.resend_claim_link({})
    await treasury.advance("1 second")
    const [email] = await treasury.mails()
    assert.include(email, {
      to: "ada@example.com",
      subject: "Claim an agent's account at treasury.test"
    })
    assert.strictEqual(await opening(treasury, tokenIn(email?.text)), accountId)
    assert.include(email?.text, "0x8ba1f109551bD432803012645Ac136ddd64DBA72 on base")
    assert.notInclude(email?.text, "evil.example")
  })

  it("ends with the next one, and after 72 hours to the millisecond", async () => {
    const treasury = await openTreasury()
    const { accountId, call } = await agentOf(treasury, "ada@example.com")
    await call.resend_claim_link({})
    await treasury.advance("1 second")
    await call.resend_claim_link({})
    await treasury.advance("0 millis")
    const [first, second] = (await treasury.mails()).map(({ text }) => tokenIn(text))
    assert.strictEqual(await opening(treasury, first ?? ""), "ENROLMENT_NOT_OPEN")
    await treasury.advance("259199999 millis")
    assert.strictEqual(await opening(treasury, second ?? ""), accountId)
    await treasury.advance("1 millis")
    assert.strictEqual(await opening(treasury, second ?? ""), "ENROLMENT_NOT_OPEN")
  })

  it("says the same when there is nobody to write to, when it is claimed, and when it is sent", async () => {
    const treasury = await openTreasury()
    const [reached, nobodys, claimed] = [
      await agentOf(treasury, "ada@example.com"),
      await agentOf(treasury, null),
      await agentOf(treasury, "ben@example.com")
    ]
    await treasury.operate(
      Effect.gen(function* () {
        const joinedAt = yield* DateTime.now
        yield* (yield* Humans).add(aHuman(claimed.accountId, { joinedAt }))
      })
    )
    const answers = [reached, nobodys, claimed].map(({ call }) => call.resend_claim_link({}))
    const [first, ...others] = await Promise.all(answers)
    for (const other of others) assert.deepStrictEqual(other, first)
    await treasury.advance("1 hour")
    assert.deepStrictEqual(
      (await treasury.mails()).map(({ to }) => to),
      ["ada@example.com"]
    )
    for (const { call } of [nobodys, claimed]) {
      for (let n = 0; n < 3; n++) await call.resend_claim_link({})
      assert.strictEqual((await refusalOf(call.resend_claim_link({})))._tag, "RATE_LIMITED")
    }
  })

  it("is sent three times in any hour, and again exactly an hour after the first of three", async () => {
    const treasury = await openTreasury()
    const { call } = await agentOf(treasury, "ada@example.com")
    for (const wait of ["10 minutes", "20 minutes", "29 minutes"] as const) {
      await call.resend_claim_link({})
      await treasury.advance(wait)
    }
    const refused = await refusalOf(call.resend_claim_link({}))
    assert.strictEqual(refused._tag, "RATE_LIMITED")
    assert.deepInclude(refused.details, { limit: 3, retryAfterSeconds: 60 })
    await treasury.advance("59999 millis")
    assert.strictEqual((await refusalOf(call.resend_claim_link({})))._tag, "RATE_LIMITED")
    await treasury.advance("1 millis")
    await call.resend_claim_link({})
    assert.strictEqual((await refusalOf(call.resend_claim_link({})))._tag, "RATE_LIMITED")
    await treasury.advance("0 millis")
    assert.lengthOf(await treasury.mails(), 4)
  })

  it("is counted for the account, whichever of its keys asks", async () => {
    const treasury = await openTreasury()
    const { call } = await agentOf(treasury, "ada@example.com")
    const { apiKey } = await call.create_api_key({ scopes: ["keys:manage"] })
    const other = await treasury.as(apiKey as string)
    await call.resend_claim_link({})
    await other.resend_claim_link({})
    await call.resend_claim_link({})
    assert.strictEqual((await refusalOf(other.resend_claim_link({})))._tag, "RATE_LIMITED")
  })

  it("is not for a developer's account", async () => {
    const { developer } = await openTreasury()
    const refused = await refusalOf(developer.call.resend_claim_link({}))
    assert.strictEqual(refused._tag, "AGENT_KEY_REQUIRED")
  })
})

it("the clock that stands still, or goes back, gives no turn away", () => {
  const at = (seconds: number) => DateTime.makeUnsafe(1_000_000_000_000 + seconds * 1000)
  const asked = [at(5), at(3), at(4)]
  assert.deepStrictEqual(turnAt(asked, at(5)), { _tag: "spent", nextAt: at(3603) })
  assert.deepStrictEqual(turnAt(asked, at(0)), { _tag: "spent", nextAt: at(3603) })
  assert.deepStrictEqual(turnAt(asked, at(3603)), {
    _tag: "allowed",
    askedAt: [at(4), at(5), at(3603)]
  })
})
