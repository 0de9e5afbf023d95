/** What the page of a deposit says and offers: only what can be done with it, each request by its pid. */
import type { Output } from "./parts/list.ts"
import { shortened } from "./parts/names.ts"
import type { Act } from "./parts/thing-page.tsx"

type Deposit = Pick<
  Output<"get_deposit">,
  "candidatePids" | "depositId" | "settlementIssue" | "status"
>

/** Why it counts for no request. */
export const why: Readonly<Record<Deposit["settlementIssue"], string>> = {
  none: "It is for no payment request.",
  underpaid: "It is less than its payment request asks for.",
  overpaid: "It is more than its payment request asks for.",
  late: "It came after its payment request had ended.",
  ambiguous: "It may be for any of several payment requests.",
  duplicate: "It pays again what is paid already."
}

/** Beyond this many, the request is named in a form. */
const maxButtons = 5

/** What can be done with an open deposit at once: which request it is for, where several may be meant. */
export const actsOf = ({ candidatePids, depositId, status }: Deposit): ReadonlyArray<Act> => {
  if (status !== "open") return []
  const act = (text: string, input: object, sure: string): Act => ({
    text,
    operation: "resolve_deposit",
    input: { depositId, ...input },
    sure
  })
  const several = candidatePids.length > 1 ? candidatePids.slice(0, maxButtons) : []
  return [
    ...several.map((pid) =>
      act(
        `Attach to ${shortened(pid)}`,
        { action: "attach", pid },
        `Attach this deposit to ${pid}? It is credited to that payment request.`
      )
    ),
    ...(several.length > 0
      ? []
      : [
          act(
            "Accept",
            { action: "accept" },
            candidatePids.length === 1
              ? `Accept this deposit? It is credited to ${candidatePids[0]}.`
              : "Accept this deposit? It is kept without a payment request."
          )
        ]),
    act("Ignore", { action: "ignore" }, "Ignore this deposit? It is no longer listed as open.")
  ]
}
