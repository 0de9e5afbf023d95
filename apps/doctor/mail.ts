/** Whether email can leave: the mail server takes a connection and our name, or files are written instead. */
import { Effect } from "effect"
import * as Smtp from "../../adapters/mail/smtp.ts"
import type * as Configuration from "../server/configuration.ts"
import { type Finding, ok, problem, warning } from "./finding.ts"

export const examine = (
  transport: ReturnType<typeof Configuration.mail>
): Effect.Effect<Finding> =>
  transport._tag === "outbox"
    ? Effect.succeed(
        warning(
          "mail",
          `No mail server is set: every email becomes a file in ${transport.directory}. Set BURSAR_SMTP_URL, so that claim links reach people.`
        )
      )
    : Smtp.greeted(transport).pipe(
        Effect.match({
          onFailure: ({ message }) =>
            problem(
              "mail",
              `The mail server refuses us: ${message.replace(/\.$/u, "")}. Check BURSAR_SMTP_URL and BURSAR_SMTP_TLS.`
            ),
          onSuccess: () => ok("mail", "The mail server takes our name and password.")
        })
      )
