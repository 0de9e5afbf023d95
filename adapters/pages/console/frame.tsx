/**
 * The frame of every console page: where one is, who is signed in, and one place where the script says what
 * came of a button. Buttons carry what they post as data, so a page works from what the server wrote alone.
 */
import type { ComponentChildren } from "preact"

export interface Who {
  readonly human: string
  readonly account: string
  readonly pausedAt: string | null
}

interface FrameProps {
  readonly who: Who
  readonly children: ComponentChildren
}

/** What the script says; read aloud when it changes. */
export const Said = () => <p id="said" class="said" role="status" />

export const Console = ({ who, children }: FrameProps) => (
  <>
    <header class="bar">
      <nav aria-label="Console">
        <a class="brand" href="/console">
          Bursar
        </a>
        <a href="/console/keys">Keys</a>
        <a href="/console/passkeys">Passkeys</a>
      </nav>
      <p class="soft">
        <bdi>{who.human}</bdi>, <bdi>{who.account}</bdi>
      </p>
      <button type="button" data-post="/console/sign-out" data-next="/console/login">
        Sign out
      </button>
    </header>
    <main>
      {who.pausedAt !== null && (
        <p class="warning">
          This account is paused since <time dateTime={who.pausedAt}>{instant(who.pausedAt)}</time>:
          no money moves until its operator resumes it.
        </p>
      )}
      {children}
      <Said />
    </main>
  </>
)

/** `2026-11-21 15:04 UTC`. */
export const instant = (text: string): string =>
  `${text.slice(0, "2026-11-21".length)} ${text.slice("2026-11-21T".length, "2026-11-21T15:04".length)} UTC`

export const When = ({ at }: { readonly at: string }) => <time dateTime={at}>{instant(at)}</time>

/** A fact by its name. What others wrote stands isolated from the direction of what is around it. */
export interface Fact {
  readonly name: string
  readonly text: string
  /** Written for machines, and compared letter by letter by people. */
  readonly code?: boolean
}

export const Facts = ({ facts }: { readonly facts: ReadonlyArray<Fact> }) => (
  <dl class="facts">
    {facts.map(({ code, name, text }) => (
      <div key={`${name} ${text}`}>
        <dt>{name}</dt>
        <dd>{code === true ? <code>{text}</code> : <bdi>{text}</bdi>}</dd>
      </div>
    ))}
  </dl>
)

export const NotHere = ({ message }: { readonly message: string }) => (
  <main>
    <h1>Nothing here</h1>
    <p>{message}</p>
    <p>
      <a href="/console">Back to the console</a>
    </p>
  </main>
)
