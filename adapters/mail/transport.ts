/** Which way mail goes: through a mail server where there is one, into a directory where there is none. */
import type { Layer } from "effect"
import type { Mail } from "../../core/ports/mail.ts"
import * as Outbox from "./outbox.ts"
import * as Smtp from "./smtp.ts"

export type MailTransport =
  | ({ readonly _tag: "smtp" } & Smtp.Options)
  | ({ readonly _tag: "outbox" } & Outbox.Options)

export const layer = (transport: MailTransport): Layer.Layer<Mail> =>
  transport._tag === "smtp" ? Smtp.layer(transport) : Outbox.layer(transport)
