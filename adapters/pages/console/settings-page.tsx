/** The page of the account's own settings. */
import { type Fact, Facts } from "./parts/facts.tsx"
import { Console, type Who } from "./parts/frame.tsx"

interface SettingsProps {
  readonly who: Who
  readonly facts: ReadonlyArray<Fact>
  readonly caps: ReadonlyArray<Fact>
  /** Whether a pause is one that this person may end. */
  readonly mayResume: boolean
}

export const Settings = ({ caps, facts, mayResume, who }: SettingsProps) => (
  <Console who={who} section="settings" path="/console/settings">
    <h1>Account</h1>
    <Facts facts={facts} />
    <section>
      <h2>Caps</h2>
      <Facts facts={caps} />
    </section>
    {who.pausedAt === null && (
      <section>
        <h2>Pause account</h2>
        <p class="soft">
          A paused account makes no payments. Incoming payments continue. You can resume it with
          your passkey, and so can the operator.
        </p>
        <button type="button" data-post="/console/pause" data-sure="Pause this account?">
          Pause this account
        </button>
      </section>
    )}
    {who.pausedAt !== null && (
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
          <p class="soft">Whoever paused this account resumes it, or the operator.</p>
        )}
      </section>
    )}
  </Console>
)
