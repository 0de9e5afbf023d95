/** The page of the account's own settings. */
import { type Fact, Facts } from "./parts/facts.tsx"
import { Console, type Who } from "./parts/frame.tsx"
import { Actions } from "./parts/listing.tsx"
import { Signed } from "./parts/signed.tsx"

interface Change {
  readonly input: object
  readonly sure: string
  readonly text: string
}

interface SettingsProps {
  readonly who: Who
  readonly merchant: string
  readonly logo:
    | { readonly url: string; readonly width: number; readonly height: number }
    | undefined
  readonly facts: ReadonlyArray<Fact>
  readonly settings: ReadonlyArray<Fact>
  readonly caps: ReadonlyArray<Fact>
  readonly isOwner: boolean
  /** What a form cannot say: taking something away. */
  readonly changes: ReadonlyArray<Change>
  readonly mayPause: boolean
  /** Whether a pause is one that this person may end. */
  readonly mayResume: boolean
}

/** Pausing, or ending the pause there is. */
const Pausing = ({
  mayPause,
  mayResume,
  who
}: Pick<SettingsProps, "mayPause" | "mayResume" | "who">) =>
  who.pausedAt === null ? (
    <section>
      <h2>Pause account</h2>
      <p class="soft">
        A paused account makes no payments. Incoming payments continue. You can resume it with your
        passkey; so can an owner and the operator.
      </p>
      {mayPause && (
        <button type="button" data-post="/console/pause" data-sure="Pause this account?">
          Pause this account
        </button>
      )}
    </section>
  ) : (
    <section>
      <h2>Resume account</h2>
      {mayResume ? (
        <button
          type="button"
          data-ask="/console/resume/options"
          data-answer="/console/resume/verify"
        >
          Resume with your passkey
        </button>
      ) : (
        <p class="soft">Whoever paused this account resumes it, an owner, or the operator.</p>
      )}
    </section>
  )

/** The head and the button of a checkout page, in both themes. */
const Preview = ({ logo, merchant }: Pick<SettingsProps, "logo" | "merchant">) => (
  <section>
    <h2>As payers see it</h2>
    <div class="previews">
      {["light", "dark"].map((theme) => (
        <div key={theme} class={`preview branded ${theme}`}>
          {logo !== undefined && (
            <img class="logo" src={logo.url} alt="" width={logo.width} height={logo.height} />
          )}
          <p class="soft">
            <bdi>{merchant}</bdi>
          </p>
          <p class="sum">
            49.00 <span class="soft">USDC</span>
          </p>
          <p class="main">Pay</p>
        </div>
      ))}
    </div>
  </section>
)

export const Settings = (props: SettingsProps) => (
  <Console who={props.who} section="settings" path="/console/settings">
    <h1>Account</h1>
    <Facts facts={props.facts} />
    <section>
      <h2>Settings</h2>
      <Facts facts={props.settings} />
      {props.isOwner && (
        <Actions
          actions={[{ href: "/console/new/update_account_settings", text: "Change the settings" }]}
        />
      )}
      {props.isOwner && (
        <p class="choices">
          {props.changes.map(({ input, sure, text }) => (
            <Signed
              key={text}
              operation="update_account_settings"
              input={input}
              sure={sure}
              text={text}
            />
          ))}
        </p>
      )}
    </section>
    <Preview logo={props.logo} merchant={props.merchant} />
    <section>
      <h2>Caps</h2>
      <Facts facts={props.caps} />
    </section>
    <Pausing mayPause={props.mayPause} mayResume={props.mayResume} who={props.who} />
  </Console>
)
