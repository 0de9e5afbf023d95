/**
 * Forms of the console, made from the operations' own schemas: here stands only what a schema cannot say, such
 * as where to go on and what may be chosen. The operation judges what was typed, and its error is shown at the field.
 */
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Usdc from "../../../core/money/usdc.ts"
import { NotFound } from "../../../core/operation/refusal.ts"
import { roleRefusal } from "../../../core/operation/role.ts"
import type { Name } from "../../../core/treasury/operations.ts"
import { catalogue, isSigned } from "../../console/operations.ts"
import {
  chains,
  type Form,
  laterSigned,
  payeeAndWallet,
  toProposal,
  wallets
} from "./parts/form.ts"
import { consolePage, guarded, queryOf, type Visit } from "./parts/guard.ts"
import { formFields, valuesIn } from "./parts/schema-fields.ts"
import { peopleForms } from "./people-forms.ts"
import { tradeForms } from "./trade-forms.ts"

const { FormPage } = await import("./form-page.tsx")

const byAgents = ["challengeId", "walletSignature"] as const

/** The rules as they are, to be changed. */
const currentRules = ({ calls }: Visit) =>
  Effect.map(calls.get_cosigner_rules({}), ({ rules }) =>
    Object.fromEntries(
      rules.flatMap(({ action, maxAmountMicro, minAmountMicro, requiredApprovals }, at) => [
        [`rules.${at}.action`, action],
        [`rules.${at}.minAmountMicro`, Usdc.format(BigInt(minAmountMicro))],
        [
          `rules.${at}.maxAmountMicro`,
          maxAmountMicro === null ? "" : Usdc.format(BigInt(maxAmountMicro))
        ],
        [`rules.${at}.requiredApprovals`, String(requiredApprovals)]
      ])
    )
  )

const forms: { readonly [Of in Name]?: Form } = {
  create_payment_request: {
    section: "payments",
    title: "New payment request",
    button: "Create",
    next: "/console/payments/{pid}",
    what: "A link for an exact amount, paid to a customer's vault. It can be shared at once.",
    without: ["amountSmallestUnit"],
    choices: wallets("collection", "walletMappingId")
  },
  create_checkout_session: {
    section: "payments",
    title: "New checkout link",
    button: "Create",
    next: "/console/payments/{pid}",
    what: "A link for an exact amount, for a customer that is known by your own id.",
    before: { href: "/console/new/create_provisioning_job", text: "Add a customer first" },
    without: ["amountSmallestUnit"]
  },
  create_provisioning_job: {
    section: "payments",
    title: "Add customers",
    button: "Add",
    next: "/console/provisioning/{jobId}",
    what: "Each customer gets a vault of its own on the chain, to which it pays. Whoever has one keeps it.",
    choices: chains
  },
  extend_payment_request: {
    section: "payments",
    title: "Extend a payment request",
    button: "Extend",
    next: "/console/payments/{pid}",
    given: ["idOrPid"]
  },
  resolve_deposit: {
    section: "payments",
    title: "Resolve a deposit",
    button: "Resolve",
    next: "/console/deposits/{depositId}",
    given: ["depositId"]
  },
  propose_refund: {
    section: "payments",
    title: "Refund",
    button: "Propose the refund",
    next: toProposal,
    what: laterSigned,
    choices: payeeAndWallet
  },
  propose_transfer: {
    section: "wallets",
    title: "Send USDC",
    button: "Propose the send",
    next: toProposal,
    what: laterSigned,
    choices: payeeAndWallet
  },
  propose_token_approve: {
    section: "wallets",
    title: "Approve a token",
    button: "Propose the approval",
    next: toProposal,
    what: laterSigned,
    choices: wallets("standard", "fromWalletId")
  },
  propose_create_account: {
    section: "wallets",
    title: "New wallet",
    button: "Propose the wallet",
    next: toProposal,
    what: laterSigned,
    choices: chains
  },
  propose_rename_account: {
    section: "wallets",
    title: "Rename a wallet",
    button: "Propose the name",
    next: toProposal,
    what: laterSigned,
    choices: wallets("standard", "accountId")
  },
  set_wallet_metadata: {
    section: "wallets",
    title: "Change the tags of a wallet",
    button: "Change",
    next: "/console/wallets",
    what: "These tags replace the ones there are; without any, the wallet has none.",
    given: ["accountId"]
  },
  add_recipient: {
    section: "recipients",
    title: "Add a recipient",
    button: "Propose the recipient",
    next: toProposal,
    what: "Once confirmed, the recipient can be paid after a cooldown of 24 hours.",
    choices: chains,
    without: byAgents
  },
  invite_cosigner: {
    section: "cosigners",
    title: "Invite a co-signer",
    button: "Ask to invite",
    next: "/console/governance",
    what: "The invite is sent once a passkey has signed it.",
    without: byAgents
  },
  update_cosigner_rules: {
    section: "cosigners",
    title: "Change the rules",
    button: "Change the rules",
    next: "/console/cosigners",
    values: currentRules,
    what: "These rules replace the ones there are; a row left empty is no rule. Stricter rules apply at once. Weaker ones wait for a passkey, under Governance.",
    without: byAgents
  },
  create_merchant_webhook: {
    section: "webhooks",
    title: "Add an endpoint",
    button: "Add with your passkey",
    next: "/console/webhooks",
    what: "Events are sent to this URL. The secret that proves them is shown once."
  },
  update_merchant_webhook: {
    section: "webhooks",
    title: "Change an endpoint",
    button: "Change with your passkey",
    next: "/console/webhooks/{id}",
    given: ["id"]
  },
  rotate_merchant_webhook_secret: {
    section: "webhooks",
    title: "Rotate the secret of an endpoint",
    button: "Rotate with your passkey",
    next: "/console/webhooks",
    what: "The new secret is shown once. The previous one ends after the grace period.",
    given: ["id"]
  },
  recover_merchant_webhook: {
    section: "webhooks",
    title: "Recover missed events",
    button: "Recover",
    next: "/console/deliveries",
    given: ["id"]
  }
}

export const formPage = guarded("/console/new/:id", (visit, name) =>
  Effect.gen(function* () {
    const operation = catalogue.find((each) => each.name === name)
    const all: Readonly<Record<string, Form | undefined>> = {
      ...forms,
      ...tradeForms,
      ...peopleForms
    }
    const form = all[operation?.name ?? ""]
    if (operation === undefined || form === undefined) {
      return yield* new NotFound({ message: "The console has no such form." })
    }
    const refusal = roleRefusal(visit.signedIn.human.role, operation.role)
    if (refusal !== undefined) return yield* refusal
    const query = queryOf(yield* HttpServerRequest.HttpServerRequest)
    const given = (form.given ?? []).filter((field) => query.has(field))
    const fields = formFields(operation, {
      values: {
        ...(form.values === undefined ? {} : yield* form.values(visit)),
        ...valuesIn(query)
      },
      choices: form.choices === undefined ? {} : yield* form.choices(visit, query),
      without: [...(form.without ?? []), ...given]
    })
    const props = {
      who: visit.who,
      section: form.section,
      title: form.title,
      what: form.what ?? operation.summary,
      button: form.button,
      before: form.before,
      next: form.next,
      operation: operation.name,
      isSigned: isSigned(operation.name) === true,
      input: Object.fromEntries(given.map((field) => [field, query.get(field)])),
      fields
    }
    const takesFiles = fields.some(({ as }) => as === "rows" || as === "picture")
    const script = takesFiles ? "console-files.js" : "console.js"
    return consolePage(form.title, FormPage(props), { script })
  })
)
