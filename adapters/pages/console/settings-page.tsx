/** The page of the account's own settings. */
import { type Fact, Facts } from "./parts/facts.tsx"
import { Console, type Who } from "./parts/frame.tsx"

interface SettingsProps {
  readonly who: Who
  readonly facts: ReadonlyArray<Fact>
  readonly caps: ReadonlyArray<Fact>
}

export const Settings = ({ caps, facts, who }: SettingsProps) => (
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
          A paused account makes no payments. Incoming payments continue. Only an operator can
          resume it.
        </p>
        <button type="button" data-post="/console/pause" data-sure="Pause this account?">
          Pause this account
        </button>
      </section>
    )}
  </Console>
)
