/** Who may be paid: recipients, their cooldown, and what may be done about each. */
import { Effect } from "effect"
import { code, link, state, time } from "./parts/cells.ts"
import { list, nothing } from "./parts/list.ts"
import type { Cell } from "./parts/table.tsx"
import { thing } from "./parts/thing.ts"

const { fact } = await import("./parts/facts.tsx")

/** Pending is what the API calls it; what it means to people is that nobody can be paid there yet. */
const standing = ({
  cooldownActive,
  status
}: {
  readonly cooldownActive: boolean
  readonly status: string
}): Cell =>
  cooldownActive && status === "pending" ? { text: "cooling down", tone: "wait" } : state(status)

const recipients = list({
  operation: "list_recipients",
  key: "recipients",
  at: "/console/recipients",
  section: "recipients",
  title: "Recipients",
  intro: "A new recipient can be paid after a cooldown of 24 hours, or once it is approved.",
  none: "No recipients.",
  beginning: {
    text: "Money is sent only to recipients that stand here. Add one before the first payment, as it may take 24 hours until it can be paid.",
    first: { href: "/console/new/add_recipient", text: "Add the first recipient" }
  },
  idOf: ({ id }) => id,
  known: nothing,
  columns: {
    Recipient: ({ id, label }) => link(`/console/recipients/${id}`, label),
    Status: standing,
    "Can be paid from": ({ cooldownActive, cooldownEndsAt }) =>
      time(cooldownActive ? cooldownEndsAt : null),
    Chain: ({ chainId }) => chainId,
    Address: ({ address }) => code(address),
    Created: ({ createdAt }) => time(createdAt)
  },
  actions: [{ href: "/console/new/add_recipient", text: "Add a recipient" }]
})

const recipient = thing(
  "/console/recipients/:id",
  Effect.fnUntraced(function* ({ calls }, id) {
    const found = yield* calls.get_recipient({ recipientId: id })
    const isRevoked = found.status === "revoked"
    return {
      section: "recipients",
      title: found.label,
      state: standing(found),
      facts: [
        ...fact("Address", found.address, { code: true }),
        ...fact("Chain", found.chainId),
        ...(found.requiredMemo === null
          ? []
          : fact("Memo of each payment", found.requiredMemo, { code: true })),
        ...(found.cooldownActive
          ? fact("Can be paid from", found.cooldownEndsAt, { isTime: true })
          : []),
        ...fact("Added", found.createdAt, { isTime: true })
      ],
      links: isRevoked
        ? []
        : [{ href: `/console/new/propose_transfer?recipientId=${id}`, text: "Send USDC" }],
      acts: [
        ...(found.cooldownActive && !isRevoked
          ? [
              {
                text: "End the cooldown now",
                operation: "approve_recipient",
                input: { recipientId: id },
                next: "/console",
                sure: "Ask to end the cooldown? It then waits for your passkey."
              }
            ]
          : []),
        ...(isRevoked
          ? []
          : [
              {
                text: "Revoke this recipient",
                operation: "revoke_recipient",
                input: { recipientId: id },
                sure: "Revoke this recipient? Proposals that would pay it are ended."
              }
            ])
      ]
    }
  })
)

export const recipientPages = [recipients, recipient] as const
