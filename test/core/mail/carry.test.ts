/** An email's life: carried until it is taken, given up aloud, and silent once it is over. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import { maxAttempts } from "../../../core/mail/email.ts"
import { OutboundEmails } from "../../../core/mail/email-store.ts"
import { queueEmail } from "../../../core/mail/send.ts"

const told = "https://treasury.test/console/claim#secret"

/** Owes the agent's person an email; its row, to be looked at later. */
const owe = ({ agent, operate }: TestTreasury, text = told) =>
  operate(
    Effect.gen(function* () {
      return yield* queueEmail({
        accountId: agent.accountId,
        purpose: "claim_link",
        to: "ada@example.com",
        subject: "Claim it",
        text,
        expiresAt: DateTime.add(yield* DateTime.now, { hours: 72 })
      })
    })
  )

const rowOf = ({ operate }: TestTreasury, emailId: string) =>
  operate(Effect.flatMap(OutboundEmails, ({ find }) => find(emailId)))

it("an email is carried once its change has committed, and then says nothing any more", async () => {
  const treasury = await openTreasury()
  const id = await owe(treasury)
  await treasury.advance("1 second")
  assert.deepStrictEqual(await treasury.mails(), [
    { id, to: "ada@example.com", subject: "Claim it", text: told }
  ])
  assert.include(await rowOf(treasury, id), { status: "sent", sealedText: null, attempts: 1 })
  await treasury.advance("72 hours")
  assert.lengthOf(await treasury.mails(), 1)
})

it("what it says is sealed while it waits", async () => {
  const treasury = await openTreasury()
  await treasury.mailFails("for_now")
  const id = await owe(treasury)
  await treasury.advance("0 millis")
  const row = await rowOf(treasury, id)
  assert.include(row, { status: "queued", lastError: "the scripted mail server said no" })
  assert.notInclude(JSON.stringify(row), "secret")
})

it("a server that is away for an hour delays it", async () => {
  const treasury = await openTreasury()
  await treasury.mailFails(...Array.from({ length: 15 }, () => "for_now" as const))
  const id = await owe(treasury)
  await treasury.advance("20 minutes")
  assert.lengthOf(await treasury.mails(), 0)
  await treasury.advance("40 minutes")
  assert.lengthOf(await treasury.mails(), 1)
  assert.include(await rowOf(treasury, id), { status: "sent", attempts: 16 })
})

it("an answer that got lost sends it again under the same id: at least once, and recognisable", async () => {
  const treasury = await openTreasury()
  await treasury.mailFails("taken_all_the_same")
  const id = await owe(treasury)
  await treasury.advance("1 hour")
  assert.deepStrictEqual(
    (await treasury.mails()).map((mail) => mail.id),
    [id, id]
  )
})

it("an address that is refused for good is not tried again", async () => {
  const treasury = await openTreasury()
  await treasury.mailFails("for_good")
  const id = await owe(treasury)
  await treasury.advance("72 hours")
  assert.lengthOf(await treasury.mails(), 0)
  assert.include(await rowOf(treasury, id), { status: "failed", attempts: 1, sealedText: null })
})

it("one that nobody takes is dead after its attempts, and its row says why", async () => {
  const treasury = await openTreasury()
  await treasury.mailFails(...Array.from({ length: 500 }, () => "for_now" as const))
  const id = await owe(treasury)
  await treasury.advance("24 hours")
  assert.include(await rowOf(treasury, id), {
    status: "failed",
    attempts: maxAttempts + 1,
    lastError: "the scripted mail server said no",
    sealedText: null
  })
})

it("a later email takes the place of one that still waits", async () => {
  const treasury = await openTreasury()
  await treasury.mailFails("for_now")
  const first = await owe(treasury)
  const second = await owe(treasury, `${told}-2`)
  await treasury.advance("1 hour")
  assert.deepStrictEqual(
    (await treasury.mails()).map(({ text }) => text),
    [`${told}-2`]
  )
  assert.include(await rowOf(treasury, first), { status: "superseded", sealedText: null })
  assert.include(await rowOf(treasury, second), { status: "sent" })
})
