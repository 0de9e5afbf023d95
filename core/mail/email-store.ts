/** The store of emails. An email ends once: sent, failed or superseded; its text is erased then. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Email } from "./email.ts"

/** How an email ends. */
export interface End {
  readonly status: "sent" | "failed"
  readonly at: DateTime.Utc
  readonly error: string | null
}

export class OutboundEmails extends Context.Service<
  OutboundEmails,
  {
    readonly write: (email: Email) => Effect.Effect<void>
    readonly find: (emailId: string) => Effect.Effect<Email | undefined>
    /** Emails of all accounts, optionally of one status; for the operator only. */
    readonly list: (
      status: Email["status"] | undefined,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Email>>
    /** Counts an attempt and returns the email; undefined if it has ended. */
    readonly attempt: (emailId: string) => Effect.Effect<Email | undefined>
    /** Saves why an attempt failed; an email that has ended stays as it is. */
    readonly recordFailure: (emailId: string, error: string) => Effect.Effect<void>
    /** Ends a queued email and erases its text; false if it had already ended. */
    readonly end: (emailId: string, end: End) => Effect.Effect<boolean>
    /** Supersedes an account's queued emails of one purpose to one address and erases their texts. */
    readonly supersede: (
      email: Pick<Email, "accountId" | "purpose" | "to">,
      at: DateTime.Utc
    ) => Effect.Effect<void>
  }
>()("bursar/mail/OutboundEmails") {}
