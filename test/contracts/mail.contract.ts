/** What whoever carries mail must do: hand over the message as it is, or say that it was not taken. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Mail, type Message } from "../../core/ports/mail.ts"
import { MailWorld } from "../support/mail-receiver.ts"

const aMessage = (over: Partial<Message> = {}): Message => ({
  id: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
  to: "ada@example.com",
  subject: "Claim “Söhne” ✓",
  text: `Open this:\n\nhttps://treasury.example/console/claim#${"x".repeat(90)}=\n\n<b>not bold</b> é ✓`,
  ...over
})

export const suite = (name: string, transport: Layer.Layer<Mail | MailWorld>) =>
  layer(transport)(`${name}: mail`, (it) => {
    it.effect("a message arrives as it was written, at its one address", () =>
      Effect.gen(function* () {
        const message = aMessage({ id: "first" })
        yield* (yield* Mail).send(message)
        const arrived = (yield* (yield* MailWorld).arrived).at(-1)
        assert.include(arrived, { to: message.to, subject: message.subject, text: message.text })
        assert.include(arrived?.messageId, "first")
      })
    )

    const breaking: ReadonlyArray<readonly [string, Partial<Message>]> = [
      ["a second header behind the address", { to: "ada@example.com\r\nBcc: eve@example.com" }],
      ["a second header behind the subject", { subject: "Hello\r\nBcc: eve@example.com" }],
      ["a bare line feed in the subject", { subject: "Hello\nReply-To: eve@example.com" }],
      ["a second address", { to: "ada@example.com,eve@example.com" }],
      ["a name and an address", { to: "Eve<eve@example.com>" }],
      ["a group", { to: "all:eve@example.com;" }]
    ]
    it.effect.each(breaking)("refuses for good a message with %s", ([, over]) =>
      Effect.gen(function* () {
        const world = yield* MailWorld
        const before = (yield* world.arrived).length
        const failure = yield* Effect.flip((yield* Mail).send(aMessage(over)))
        assert.isTrue(failure.isFinal)
        assert.strictEqual((yield* world.arrived).length, before)
      })
    )

    it.effect("who takes no mail now may take it later", () =>
      Effect.gen(function* () {
        const world = yield* MailWorld
        const mail = yield* Mail
        yield* world.close(true)
        const failure = yield* Effect.flip(mail.send(aMessage({ id: "later" })))
        assert.isFalse(failure.isFinal)
        yield* world.close(false)
        yield* mail.send(aMessage({ id: "later" }))
        assert.include((yield* world.arrived).at(-1)?.messageId, "later")
      })
    )
  })
