/** Hands one message to whoever carries mail. What happens to it afterwards, nobody can promise. */
import { Context, Data, type Effect } from "effect"

/** One message of plain text to one address. */
export interface Message {
  /** The same for every attempt, so that mail servers and readers may drop a second copy. */
  readonly id: string
  readonly to: string
  /** One line. */
  readonly subject: string
  readonly text: string
}

/** The message was not taken; `isFinal` when trying again cannot help. */
export class MailNotSent extends Data.TaggedError("MailNotSent")<{
  readonly message: string
  readonly isFinal: boolean
}> {}

export class Mail extends Context.Service<
  Mail,
  {
    /** Ends within half a minute. A message may have been taken although this failed. */
    readonly send: (message: Message) => Effect.Effect<void, MailNotSent>
  }
>()("bursar/ports/Mail") {}
