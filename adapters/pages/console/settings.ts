/** The account itself: what it is, its caps, and pausing it. */
import { Effect } from "effect"
import * as Logo from "../../../core/accounts/logo.ts"
import { mayResume } from "../../../core/accounts/pause.ts"
import { actorOf } from "../../../core/humans/human.ts"
import { roleRefusal } from "../../../core/operation/role.ts"
import { brandRules } from "../site/brand.ts"
import { usd } from "./parts/cells.ts"
import { consolePage, guarded } from "./parts/guard.ts"

const { fact } = await import("./parts/facts.tsx")
const { Settings } = await import("./settings-page.tsx")

interface Set {
  readonly logoUrl: string | null
  readonly brandColor: string | null
  readonly secondPersonSigns: boolean
  readonly emailNotices: ReadonlyArray<string>
}

const withPasskey = "You confirm with your passkey."

const changesOf = ({ brandColor, emailNotices, logoUrl, secondPersonSigns }: Set) => [
  secondPersonSigns
    ? {
        text: "Let people sign what they proposed",
        input: { secondPersonSigns: false },
        sure: `Let one person both propose and sign? ${withPasskey}`
      }
    : {
        text: "Have a second person sign",
        input: { secondPersonSigns: true },
        sure: `Have a second person sign what a person proposed? ${withPasskey}`
      },
  ...(logoUrl === null
    ? []
    : [
        {
          text: "Remove the logo",
          input: { logoUrl: null },
          sure: `Remove the logo? ${withPasskey}`
        }
      ]),
  ...(brandColor === null
    ? []
    : [
        {
          text: "Use the default colour",
          input: { brandColor: null },
          sure: `Use the default colour? ${withPasskey}`
        }
      ]),
  ...(emailNotices.length === 0
    ? []
    : [
        {
          text: "Send no e-mail",
          input: { emailNotices: [] },
          sure: `Tell nobody by e-mail any more? ${withPasskey}`
        }
      ])
]

export const settingsPage = guarded("/console/settings", ({ account: own, calls, signedIn, who }) =>
  Effect.gen(function* () {
    const account = yield* calls.get_account({})
    const limits = yield* calls.get_policy_limits({})
    const { brandColor, logoUrl, merchantName } = account.settings
    const logo = logoUrl === null ? undefined : Logo.ofDataUrl(logoUrl)
    const props = {
      who,
      merchant: merchantName ?? account.name,
      logo: logo === undefined ? undefined : { ...logo, url: Logo.dataUrlOf(logo) },
      mayPause: roleRefusal(signedIn.human.role, "approver") === undefined,
      mayResume: mayResume(own.pausedBy, {
        actor: actorOf(signedIn.human.id),
        isOwner: signedIn.human.role === "owner"
      }),
      facts: [
        ...fact("Name", account.name),
        ...fact("Account id", account.id, { code: true }),
        ...fact("Kind", account.kind),
        ...fact("Tier", account.tier),
        ...fact("Plan", limits.billingPlanName),
        ...fact("Plan ends", limits.subscriptionExpiresAt, { isTime: true }),
        ...fact("Mode", account.livemode ? "live" : "test"),
        ...fact("Opened", account.createdAt, { isTime: true })
      ],
      isOwner: signedIn.human.role === "owner",
      changes: changesOf(account.settings),
      settings: [
        ...fact("Name payers see", account.settings.merchantName ?? account.name),
        ...fact("Logo", logo === undefined ? "none" : `${logo.width} × ${logo.height} pixels`),
        ...fact("Colour", brandColor ?? "default"),
        ...fact("A second person must sign", account.settings.secondPersonSigns ? "yes" : "no"),
        ...fact(
          "E-mail about",
          account.settings.emailNotices.map((type) => type.replaceAll("_", " ")).join(", ") ||
            "nothing"
        ),
        ...fact(
          "E-mail is sent",
          account.settings.emailDelivery === "daily" ? "once a day" : "at once"
        )
      ],
      caps: [
        ...fact("Per transfer", usd(limits.perTransferCapUsd).text),
        ...fact("Per day", usd(limits.dailySendCapUsd).text),
        ...fact("Per month", usd(limits.monthlySendCapUsd).text),
        ...fact("Hard cap of one transfer", usd(limits.v0HardCapUsd).text)
      ]
    }
    return consolePage("Settings", Settings(props), { rules: brandRules(brandColor) })
  })
)
