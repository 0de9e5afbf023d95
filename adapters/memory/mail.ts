/** Mail that goes nowhere: a test reads what was handed over, and says when nobody takes any. */
import { Context, Effect, Layer } from "effect"
import { violation } from "../../core/mail/send.ts"
import { Mail, MailNotSent, type Message } from "../../core/ports/mail.ts"

/** How a message fails: to be tried again, for good, or only in the answer that got lost. */
export type Failure = "for_now" | "for_good" | "taken_all_the_same"

export class MailScript extends Context.Service<
  MailScript,
  {
    /** Every message that was taken, oldest first. */
    readonly taken: Effect.Effect<ReadonlyArray<Message>>
    /** How the next messages fail, one after the other; after them all are taken. */
    readonly fail: (...failures: ReadonlyArray<Failure>) => Effect.Effect<void>
  }
>()("bursar/memory/MailScript") {}

export const layer: Layer.Layer<Mail | MailScript> = Layer.effectContext(
  Effect.sync(() => {
    const taken: Array<Message> = []
    let failing: ReadonlyArray<Failure> = []

    const send = Effect.fnUntraced(function* (message: Message) {
      const refused = violation(message)
      if (refused !== undefined) return yield* refused
      const [failure, ...rest] = failing
      failing = rest
      if (failure === undefined || failure === "taken_all_the_same") taken.push(message)
      if (failure !== undefined) {
        const isFinal = failure === "for_good"
        return yield* new MailNotSent({ message: "the scripted mail server said no", isFinal })
      }
    })

    return Context.make(Mail, { send }).pipe(
      Context.add(MailScript, {
        taken: Effect.sync(() => [...taken]),
        fail: (...failures) =>
          Effect.sync(() => {
            failing = failures
          })
      })
    )
  })
)

/** No mail at all: whatever is to be sent fails for good. */
export const none: Layer.Layer<Mail> = Layer.succeed(Mail, {
  send: () =>
    Effect.fail(new MailNotSent({ message: "this treasury sends no mail", isFinal: true }))
})
