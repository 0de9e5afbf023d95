/** A human claims an agent's account by the link they were mailed: one human, once, whoever else has the link. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Mail from "../../../adapters/memory/mail.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { sendEmail } from "../../../core/mail/send.ts"
import { Tasks } from "../../../core/ports/tasks.ts"
import * as Accounts from "../../support/accounts.ts"
import { visitor } from "../../support/console-people.ts"
import { overRest } from "../../support/surface-calls.ts"
import * as Surfaces from "../../support/surfaces.ts"

const world = Layer.suspend(() => Layer.provideMerge(Surfaces.layer(), Mail.layer))

const carried = Effect.flatMap(Tasks, ({ take }) => take(({ row }) => sendEmail(row)))

const linkIn = (text: string | undefined) =>
  /^(http\S+\/console\/enrol#[0-9A-Za-z]{43})$/mu.exec(text ?? "")?.[1] ?? "none"

const tries = 64

layer(world)("a claimed account", (it) => {
  it.effect(
    "has one human, of sixty-four who answer its link at once, and is mailed no other",
    () =>
      Effect.gen(function* () {
        const { accountId, apiKey } = yield* Accounts.opened({
          name: "Purchasing",
          kind: "agent",
          contactEmail: "ada@example.com"
        })
        const asked = yield* overRest("resend_claim_link", {}, apiKey)
        assert.isTrue(asked.ok)
        yield* carried
        const { taken } = yield* Mail.MailScript
        const [email] = yield* taken
        const link = linkIn(email?.text)
        const people = yield* Effect.all(Array.from({ length: tries }, () => visitor()))
        const answers = yield* Effect.forEach(people, (person) => person.enrol(link), {
          concurrency: "unbounded"
        })
        const statuses = answers.map(({ status }) => status)
        assert.lengthOf(
          statuses.filter((status) => status === 200),
          1
        )
        assert.lengthOf(
          statuses.filter((status) => status === 404),
          tries - 1
        )
        assert.lengthOf(yield* (yield* Humans).of(accountId), 1)

        assert.deepStrictEqual(yield* overRest("resend_claim_link", {}, apiKey), asked)
        assert.lengthOf(yield* taken, 1)
        const late = yield* visitor()
        assert.strictEqual((yield* late.enrol(link)).status, 404)
      })
  )
})
