/** Which way mail goes: through a mail server where there is one, into a directory where there is none. */
import type { Layer } from "effect"
import type { Mail } from "../../core/ports/mail.ts"
import * as Outbox from "./outbox.ts"
import * as Smtp from "./smtp.ts"

export type Carrier =
  | ({ readonly _tag: "smtp" } & Smtp.Options)
  | ({ readonly _tag: "outbox" } & Outbox.Options)

export const layer = (carrier: Carrier): Layer.Layer<Mail> =>
  carrier._tag === "smtp" ? Smtp.layer(carrier) : Outbox.layer(carrier)
