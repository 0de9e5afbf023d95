/** What a schema cannot say of a form: where to go on, and what may be chosen. */
import type { Effect } from "effect"
import type { Refusal } from "../../../../core/operation/refusal.ts"
import type { Needs } from "../../../../core/treasury/treasury.ts"
import type { Visit } from "./guard.ts"
import { chainChoices, type Offers, offering, recipientChoices, walletChoices } from "./names.ts"
import type { Section } from "./sections.ts"

export interface Form {
  readonly section: Section
  readonly title: string
  readonly button: string
  /** Where to go on; `{field}` stands for a field of the answer. */
  readonly next: string
  /** What happens, where the operation's own summary does not say enough to a person. */
  readonly what?: string
  /** Where to make what the form needs and cannot offer. */
  readonly before?: { readonly href: string; readonly text: string }
  /** Fields the console leaves out, as agents alone or other forms need them. */
  readonly without?: ReadonlyArray<string>
  /** Input that is not asked for, but stands in the address. */
  readonly given?: ReadonlyArray<string>
  readonly choices?: (visit: Visit, query: URLSearchParams) => Effect.Effect<Offers, Refusal, Needs>
  /** What stands in the fields at first. */
  readonly values?: (
    visit: Visit
  ) => Effect.Effect<Readonly<Record<string, string>>, Refusal, Needs>
}

/** The account's wallets, for these fields. */
export const wallets = (kind: "standard" | "collection", ...fields: ReadonlyArray<string>) =>
  offering(Object.fromEntries(fields.map((field) => [field, walletChoices(kind)])))

/** On which chain. */
export const chains = offering({ chainId: chainChoices })

/** Whom to pay, and from which wallet. */
export const payeeAndWallet = offering({
  recipientId: recipientChoices,
  fromWalletId: walletChoices("standard")
})

export const toProposal = "/console/proposals/{proposalId}"
export const laterSigned =
  "Nothing happens yet: the proposal shows its terms, and waits to be approved."
