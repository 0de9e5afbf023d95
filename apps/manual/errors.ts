/** The errors page: every code there is, what sort of no it is, and which operations say it. */
import { body, CrossSiteRequest, edge, statusOf } from "../../adapters/http/refusals.ts"
import type { Bound } from "../../adapters/http/route.ts"
import { refusals as ofPlans } from "../../core/agents/for-sale.ts"
import { CeremonyExpired } from "../../core/humans/ceremony.ts"
import { EnrolmentNotOpen } from "../../core/humans/enrolment.ts"
import { PasskeyRejected, PasskeySuspended } from "../../core/humans/passkey.ts"
import { SignInRequired } from "../../core/humans/session.ts"
import * as Refusal from "../../core/operation/refusal.ts"
import { code, generated, json, page, table } from "./markdown.ts"

const isClass = (value: unknown): value is Refusal.Class =>
  typeof value === "function" && "code" in value && "meaning" in value

const ofCore = (Object.values(Refusal) as ReadonlyArray<unknown>).filter(isClass)

/** How the console says no to people, beside what the operations say that they reach through it. */
const ofConsole: ReadonlyArray<Refusal.Class> = [
  CeremonyExpired,
  EnrolmentNotOpen,
  PasskeyRejected,
  PasskeySuspended,
  SignInRequired,
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
  invalid: "The call is not well formed, or asks for something that cannot be. Change it.",
  unauthenticated: "It is not known who asks.",
  payment_required: "The call must be paid for first.",
  forbidden: "It is known who asks, and they may not.",
  not_found: "There is no such thing for this account.",
  conflict: "The thing is in a state that does not allow this. Read it, then decide.",
  mismatch: "The call contradicts one made before.",
  limited: "Too many calls. Wait.",
  unavailable: "Something outside does not answer, or too much is under way. Try again.",
  internal: "A fault of ours."
}

const saidBy = (each: Refusal.Class, all: ReadonlyArray<Bound>): string => {
  if (Refusal.universal.some((known) => known.code === each.code)) return "Every operation."
  if (edge.includes(each)) return "The network's edge, before an operation is reached."
  if (ofConsole.some((known) => known.code === each.code)) return "The console, to people."
  if (ofPlans.some((known) => known.code === each.code)) return "Buying a plan, over REST."
  const names = all
    .filter(({ operation }) => operation.refusals.some((known) => known.code === each.code))
    .map(({ operation: { name } }) => `[${code(name)}](reference.md#${name})`)
  return names.length === 0 ? "No operation that is served today." : `${names.join(", ")}.`
}

const entry = (each: Refusal.Class, all: ReadonlyArray<Bound>): string =>
  page([
    `<a id="${each.code}"></a>\n\n### ${each.code}`,
    each.meaning,
    [
      `- Kind ${code(each.kind)}, HTTP status ${statusOf(each.code, each.kind)}`,
      `- Retryable: ${each.retryable ? "yes, the same call may succeed later" : "no, the same call is refused again"}`,
      `- Said by: ${saidBy(each, all)}`
    ].join("\n")
  ]).trimEnd()

const example = (siteUrl: string) =>
  body(
    new Refusal.NotFound({
      param: "idOrPid",
      message: "No payment request of this account has this id; list_payment_requests shows them.",
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
    "When the treasury says no it says why, in the same shape over REST and over tools (there as `structuredContent` with `isError: true`; JSON-RPC's own error codes are for faults of the protocol alone). A code is never renamed nor reused.",
    json(example(siteUrl)),
    [
      "- `code` is what a program decides by, `message` one sentence for a person or an agent, `param` the field it is about.",
      "- `outcome` says whether anything happened: `not_executed`, `executed`, or `unknown` when money may have moved. Read before you retry after `unknown`.",
      "- `retryable` says whether the same call may succeed later. Repeat it with the same idempotency key; where `Retry-After` is sent, wait so many seconds.",
      "- `next`, where there is one, is a call that helps and that this key may make: `operation` and `args`, and in `missing` the fields that only you can add before you make it.",
      "- `requestId` is also the `X-Request-Id` header of every answer. Quote it when you ask.",
      "- With `Accept: application/problem+json` the same facts come as RFC 9457 tells them."
    ].join("\n"),
    "## Kinds",
    table(
      ["Kind", "Status", "What it says", "Codes"],
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
