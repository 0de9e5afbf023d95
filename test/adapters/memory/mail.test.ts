/** The memory adapter of mail keeps the contract. */
import { Effect, Layer } from "effect"
import * as Mail from "../../../adapters/memory/mail.ts"
import { suite } from "../../contracts/mail.contract.ts"
import { MailWorld } from "../../support/mail-receiver.ts"

const world = Layer.effect(
  MailWorld,
  Effect.map(Mail.MailScript, ({ fail, taken }) => ({
    arrived: Effect.map(taken, (all) =>
      all.map(({ id, subject, text, to }) => ({ messageId: id, subject, text, to }))
    ),
    close: (isClosed) => (isClosed ? fail("for_now") : fail())
  }))
)

suite("memory", Layer.provideMerge(world, Mail.layer))
