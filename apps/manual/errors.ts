/** The errors page: every code there is, what sort of no it is, and which operations say it. */
import { body, CrossSiteRequest, edge, statusOf } from "../../adapters/http/refusals.ts"
import type { Bound } from "../../adapters/http/route.ts"
import { refusals as ofPlans } from "../../core/agents/plans.ts"
import { EnrolmentNotOpen } from "../../core/humans/enrolment.ts"
import { PasskeyRejected, PasskeySuspended } from "../../core/humans/passkey.ts"
import { PasskeyChallengeExpired } from "../../core/humans/passkey-challenge.ts"
import { SignInRequired } from "../../core/humans/session.ts"
import * as Refusal from "../../core/operation/refusal.ts"
import { InsufficientRole } from "../../core/operation/role.ts"
import { PasskeyRequired } from "../../core/people/authority.ts"
import { LastOwner } from "../../core/people/person.ts"
import { code, generated, json, page, table } from "./markdown.ts"

const isClass = (value: unknown): value is Refusal.Class =>
  typeof value === "function" && "code" in value && "meaning" in value

const ofCore = (Object.values(Refusal) as ReadonlyArray<unknown>).filter(isClass)

/** How the console says no to people, beside what the operations say that they reach through it. */
const ofConsole: ReadonlyArray<Refusal.Class> = [
  PasskeyChallengeExpired,
  EnrolmentNotOpen,
  PasskeyRejected,
  PasskeySuspended,
  SignInRequired,
  InsufficientRole,
  PasskeyRequired,
  LastOwner,
  CrossSiteRequest
]

/** Every refusal class by code: those no room owns, those of the network's edge and the console, and each room's own. */
export const classes = (all: ReadonlyArray<Bound>): ReadonlyArray<Refusal.Class> => {
  const found = [
    ...ofCore,
    ...edge,
    ...ofConsole,
    ...ofPlans,
    ...all.flatMap(({ operation }) => operation.refusals)
  ]
  const byCode = [...new Map(found.map((each) => [each.code, each])).values()]
  // Bundlers and Node order a module's exports differently; the page must not.
  return byCode.sort((a, b) => (a.code < b.code ? -1 : 1))
}

const meaningOfKind: Readonly<Record<Refusal.Kind, string>> = {
  invalid: "The request is invalid. Correct it.",
  unauthenticated: "Authentication is missing or invalid.",
  payment_required: "The call must be paid first.",
  forbidden: "The caller is not allowed to do this.",
  not_found: "The account has no such object.",
  conflict: "The object's state does not allow this. Read it, then decide.",
  mismatch: "The call conflicts with an earlier one.",
  limited: "Rate limit reached. Wait.",
  unavailable: "Something is unavailable or overloaded. Try again.",
  internal: "An internal error."
}

const saidBy = (each: Refusal.Class, all: ReadonlyArray<Bound>): string => {
  if (Refusal.universal.some((known) => known.code === each.code)) return "Every operation."
  if (edge.includes(each)) return "The HTTP server, before an operation runs."
  if (ofConsole.some((known) => known.code === each.code)) return "The console."
  if (ofPlans.some((known) => known.code === each.code)) return "Buying a plan, over REST."
  const names = all
    .filter(({ operation }) => operation.refusals.some((known) => known.code === each.code))
    .map(({ operation: { name } }) => `[${code(name)}](reference.md#${name})`)
  return names.length === 0 ? "No current operation." : `${names.join(", ")}.`
}

const entry = (each: Refusal.Class, all: ReadonlyArray<Bound>): string =>
  page([
    `<a id="${each.code}"></a>\n\n### ${each.code}`,
    each.meaning,
    [
      `- Type ${code(each.kind)}, HTTP status ${statusOf(each.code, each.kind)}`,
      `- Retryable: ${each.retryable ? "yes, the same call may succeed later" : "no, the same call fails again"}`,
      `- Returned by: ${saidBy(each, all)}`
    ].join("\n")
  ]).trimEnd()

const example = (siteUrl: string) =>
  body(
    new Refusal.NotFound({
      param: "idOrPid",
      message: "This account has no payment request with this id; see list_payment_requests.",
      next: { operation: "list_payment_requests", args: {} }
    }),
    { siteUrl, requestId: "req_5Tq0cV7mZpXeY2bKw9Lr" }
  )

export const errors = (all: ReadonlyArray<Bound>, siteUrl: string): string => {
  const known = classes(all)
  const kinds = (Object.keys(meaningOfKind) as ReadonlyArray<Refusal.Kind>).filter((kind) =>
    known.some((each) => each.kind === kind)
  )
  return page([
    generated("the refusals in `core/` and `adapters/http/refusals.ts`"),
    "# Errors",
    "Errors have the same form over REST and over tools (there as `structuredContent` with `isError: true`; JSON-RPC's own error codes are used only for protocol errors). A code is never renamed or reused.",
    json(example(siteUrl)),
    [
      "- `code` is for programs, `message` is one sentence for a person or an agent, `param` is the field that is wrong.",
      "- `outcome` says whether the call was executed: `not_executed`, `executed`, or `unknown` if money may have moved. After `unknown`, read the state before you retry.",
      "- `retryable` says whether the same call may succeed later. Repeat it with the same idempotency key; if there is a `Retry-After` header, wait that many seconds.",
      "- `next`, if present, is a call that helps and that this key is allowed to make: `operation`, `args`, and in `missing` the fields that you must add.",
      "- `requestId` is also the `X-Request-Id` header of every response. Quote it when you ask for help.",
      "- With `Accept: application/problem+json` the same facts are sent in the form of RFC 9457."
    ].join("\n"),
    "## Kinds",
    table(
      ["Kind", "Status", "Meaning", "Codes"],
      kinds.map((kind) => [
        code(kind),
        [
          ...new Set(
            known
              .filter((each) => each.kind === kind)
              .map((each) => String(statusOf(each.code, each.kind)))
          )
        ].join(", "),
        meaningOfKind[kind],
        known
          .filter((each) => each.kind === kind)
          .map((each) => `[${code(each.code)}](#${each.code})`)
          .join(", ")
      ])
    ),
    "## Codes",
    ...known.map((each) => entry(each, all))
  ])
}
