/**
 * People are told: an owner invites, the invited person joins with a passkey, gets an e-mail with a link to what waits,
 * and approves. One thing is one e-mail, over restarts and replicas; a daily digest takes the place of many.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import { defaultsOf } from "../../../core/accounts/account-settings.ts"
import { SettingsStore } from "../../../core/accounts/settings-store.ts"
import { callerOf } from "../../../core/humans/authenticate.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { beginCall, signCall } from "../../../core/humans/sign-call.ts"
import { giveNotice } from "../../../core/notices/give-notice.ts"
import { nextDigestAt } from "../../../core/notices/notice.ts"
import { Caller } from "../../../core/operation/caller.ts"
import { invitePerson } from "../../../core/people/invite.ts"
import { aHuman, enrolledBy } from "../../support/enrolled-human.ts"

const siteUrl = "http://treasury.test"

/** An owner, and an approver whom they invited, who joined by the link in the e-mail. */
const opened = async (options: Parameters<typeof openTreasury>[0] = {}) => {
  const treasury = await openTreasury(options)
  const { accountId, call, wallet } = treasury.developer
  const owner = await treasury.operate(aHuman(accountId, "Ada"))
  const input = { name: "Ben", email: "ben@example.com", role: "approver" } as const
  await treasury.operate(
    Effect.gen(function* () {
      const asked = { name: "invite_person", input }
      const { options, passkeyChallengeId } = yield* beginCall(owner.signedIn, asked)
      const answer = owner.authenticator.sign(options)
      const inviting = Effect.andThen(
        invitePerson.authority?.(input, undefined) ?? Effect.void,
        () => invitePerson.handle(input, undefined, undefined)
      )
      const asOwner = callerOf(owner.signedIn, { hasSigned: true })
      const act = Effect.provideService(inviting, Caller, asOwner)
      yield* signCall(owner.signedIn, asked, { passkeyChallengeId, answer }, act)
    })
  )
  await treasury.advance("1 minute")
  const [invitation] = await treasury.mails()
  const token = /enrol#([0-9A-Za-z]{43})\n/u.exec(invitation?.text ?? "")?.[1] ?? "none"
  const ben = await treasury.operate(enrolledBy(token))
  await treasury.send(wallet.address, "100")
  const { recipients } = await call.list_recipients({ limit: 1 })
  const asked = async () => {
    const { proposalId } = await call.propose_transfer({
      recipientId: recipients[0]?.id ?? "",
      fromWalletId: wallet.id,
      amountUsdc: "5"
    })
    await call.confirm_proposal({ proposalId })
    return proposalId
  }
  return { treasury, accountId, owner, ben, asked, call, invitation }
}

const notices = async (treasury: TestTreasury) =>
  (await treasury.mails()).filter(({ subject }) => !subject.includes("invitation"))

describe("an approver", () => {
  it("is invited, joins by a passkey, is told of what waits, and approves it", async () => {
    const { asked, ben, call, invitation, treasury } = await opened()
    assert.strictEqual(invitation?.to, "ben@example.com")
    assert.include(invitation?.text, "propose and approve payments")
    const proposalId = await asked()
    await treasury.advance("1 minute")
    const [told, ...others] = await notices(treasury)
    assert.lengthOf(others, 0)
    assert.strictEqual(told?.to, "ben@example.com")
    assert.include(told?.text, `${siteUrl}/console/proposals/${proposalId}`)
    await treasury.operate(ben.approve(proposalId))
    const { status } = await call.get_proposal({ proposalId })
    assert.include(["executing", "completed"], status)
    await treasury.close()
  })

  it("is told of money that counts for no request, and of an endpoint that does not answer", async () => {
    const { call, treasury } = await opened()
    await treasury.send(treasury.developer.vault.address, "7")
    await treasury.mine()
    await treasury.advance("1 minute")
    const [deposit] = await notices(treasury)
    assert.include(deposit?.text, "7.00 USDC came in")
    assert.match(deposit?.text ?? "", /\/console\/deposits\/[0-9a-f-]{36}\n/u)
    const { id } = await call.create_merchant_webhook({
      url: "https://shop.example.com/gone"
    })
    for (let n = 0; n < 5; n++) await call.send_merchant_webhook_test({ id })
    await treasury.advance("1 day")
    const [, failing, ...others] = await notices(treasury)
    assert.lengthOf(others, 0)
    assert.include(failing?.text, `/console/webhooks/${id}`)
    await treasury.close()
  })

  it("is told of no dust, with which strangers would use up what is told in a day", async () => {
    const { treasury } = await opened()
    const { call, vault } = treasury.developer
    for (let n = 0; n < 21; n++) await treasury.send(vault.address, "0.009999")
    await treasury.send(vault.address, "0.01")
    await treasury.mine(3)
    await treasury.advance("1 minute")
    assert.lengthOf((await call.list_deposits({ limit: 100 })).deposits, 22)
    const told = await notices(treasury)
    assert.lengthOf(told, 1)
    assert.include(told[0]?.text, "0.01 USDC came in")
    await treasury.close()
  })

  it("is told once, however often and by whom it is repeated, and after a restart", async () => {
    const { accountId, treasury } = await opened()
    const given = giveNotice({
      accountId,
      type: "send_failed",
      subject: "one",
      role: "approver",
      summary: "One thing",
      path: "/console"
    })
    for (let n = 0; n < 3; n++) await treasury.operate(given)
    const twins = Array.from({ length: 8 }, () => treasury.operate(given))
    await Promise.all(twins)
    await treasury.advance("1 minute")
    assert.lengthOf(await notices(treasury), 1)
    const { durable } = treasury
    await treasury.close()
    const again = await openTreasury({ durable, seed: 2, startsAt: "2030-01-01T01:00:00Z" })
    await again.operate(given)
    await again.advance("1 minute")
    assert.lengthOf(await notices(again), 0)
    await again.close()
  })

  it("is told nothing as a viewer, and nothing that only an owner can see to", async () => {
    const { accountId, ben, treasury } = await opened()
    const giving = (subject: string, role: "owner" | "approver") =>
      treasury.operate(
        giveNotice({
          accountId,
          type: "send_failed",
          subject,
          role,
          summary: subject,
          path: "/console"
        })
      )
    await giving("for owners", "owner")
    await treasury.advance("1 minute")
    assert.lengthOf(await notices(treasury), 0)
    await treasury.operate(
      Effect.flatMap(Humans, ({ changeRole }) => changeRole(accountId, ben.human.id, "viewer"))
    )
    await giving("for approvers", "approver")
    await treasury.advance("1 minute")
    assert.lengthOf(await notices(treasury), 0)
    await treasury.close()
  })
})

describe("a digest", () => {
  it("is one e-mail a day, at eight in UTC, for an account that wants it", async () => {
    const { accountId, asked, treasury } = await opened()
    await treasury.operate(
      Effect.flatMap(SettingsStore, ({ save }) =>
        save({ ...defaultsOf(accountId), emailDelivery: "daily" })
      )
    )
    const first = await asked()
    const second = await asked()
    await treasury.advance("7 hours")
    assert.lengthOf(await notices(treasury), 0)
    await treasury.advance("70 minutes")
    const [digest, ...others] = await notices(treasury)
    assert.lengthOf(others, 0)
    assert.include(digest?.subject, "2 things")
    for (const id of [first, second]) assert.include(digest?.text, `/console/proposals/${id}`)
    await treasury.advance("1 day")
    assert.lengthOf(await notices(treasury), 1)
    await treasury.close()
  })

  it("takes what is more than twenty of a sort in a day", async () => {
    const { accountId, treasury } = await opened()
    for (let n = 0; n < 23; n++) {
      await treasury.operate(
        giveNotice({
          accountId,
          type: "deposit_needs_review",
          subject: String(n),
          role: "approver",
          summary: `Deposit ${n}`,
          path: "/console/deposits"
        })
      )
    }
    await treasury.advance("5 minutes")
    assert.lengthOf(await notices(treasury), 20)
    await treasury.advance("9 hours")
    const all = await notices(treasury)
    assert.lengthOf(all, 21)
    assert.include(all.at(-1)?.subject, "3 things")
    await treasury.close()
  })

  it("arrives however long what it tells of is, with what has no room as a number and a link", async () => {
    const { accountId, treasury } = await opened()
    await treasury.operate(
      Effect.flatMap(SettingsStore, ({ save }) =>
        save({ ...defaultsOf(accountId), emailDelivery: "daily" })
      )
    )
    for (let n = 0; n < 70; n++) {
      await treasury.operate(
        giveNotice({
          accountId,
          type: "deposit_needs_review",
          subject: String(n),
          role: "approver",
          summary: `Deposit ${n} ${"long ".repeat(1_000)}`,
          path: "/console/deposits"
        })
      )
    }
    await treasury.advance("9 hours")
    const [digest] = await notices(treasury)
    assert.include(digest?.subject, "70 things")
    const listed = digest?.text.match(/^- Deposit/gmu)?.length ?? 0
    assert.isAbove(listed, 10)
    assert.include(digest?.text, `- and ${70 - listed} more: ${siteUrl}/console\n`)
    assert.isBelow(digest?.text.length ?? 0, 20_000)
    await treasury.close()
  })

  it("is due at the next eight o'clock", () => {
    const dueAfter = (at: string) => DateTime.formatIso(nextDigestAt(DateTime.makeUnsafe(at)))
    assert.strictEqual(dueAfter("2026-11-22T07:59:59.999Z"), "2026-11-22T08:00:00.000Z")
    assert.strictEqual(dueAfter("2026-11-22T08:00:00.000Z"), "2026-11-23T08:00:00.000Z")
  })
})
