/** The passkeys of the human who is signed in: which there are, one more, and taking one away. */
import { Console, type Who } from "./parts/frame.tsx"
import { When } from "./parts/time.tsx"

export interface Own {
  readonly id: string
  readonly label: string
  readonly backedUp: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly suspendedAt: string | null
  /** The one this session was opened with. */
  readonly isHere: boolean
}

export interface PasskeysProps {
  readonly who: Who
  readonly passkeys: ReadonlyArray<Own>
}

const Row = ({ own, isLast }: { readonly own: Own; readonly isLast: boolean }) => (
  <li>
    <p>
      <bdi>{own.label}</bdi>
      {own.isHere && " (this session)"}
    </p>
    <p class="soft">
      Created <When at={own.createdAt} />
      {own.lastUsedAt !== null && (
        <>
          , last used <When at={own.lastUsedAt} />
        </>
      )}
      {own.backedUp ? ", synced between devices" : ", stored on one device"}
    </p>
    {own.suspendedAt !== null && (
      <p>
        Suspended <When at={own.suspendedAt} />
      </p>
    )}
    {own.suspendedAt === null && !isLast && (
      <button
        type="button"
        data-ask="/console/passkeys/remove/options"
        data-answer="/console/passkeys/remove/verify"
        data-body={JSON.stringify({ passkeyId: own.id })}
        data-sure="Remove this passkey? It stops working for good. You confirm with one of your passkeys."
      >
        Remove<span class="unseen"> {own.label}</span>
      </button>
    )}
  </li>
)

export const Passkeys = ({ who, passkeys }: PasskeysProps) => {
  const isLast = passkeys.filter(({ suspendedAt }) => suspendedAt === null).length < 2
  return (
    <Console section="settings" path="/console/passkeys" who={who}>
      <h1>Your passkeys</h1>
      <ul class="rows">
        {passkeys.map((own) => (
          <Row key={own.id} own={own} isLast={isLast} />
        ))}
      </ul>
      <section>
        <h2>Add a passkey</h2>
        <p class="soft">
          With two passkeys you keep access if you lose one. Create a link with your passkey and
          open it on the other device.
        </p>
        <button
          type="button"
          class="main"
          data-ask="/console/passkeys/options"
          data-answer="/console/passkeys/verify"
          data-link
        >
          Create link
        </button>
        <div id="once" class="once" hidden>
          <p>One-time link, valid for 1 hour:</p>
          <a id="link" href="/console/passkeys">
            <code id="secret" />
          </a>
        </div>
      </section>
    </Console>
  )
}
