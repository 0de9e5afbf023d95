/**
 * The frame of every console page: where one is, who is signed in, and one place where the script says what
 * came of a button. Buttons carry what they post as data, so a page works from what the server wrote alone.
 */
import type { ComponentChildren } from "preact"
import type { Role } from "../../../../core/operation/role.ts"
import { OwnRole } from "./offered.tsx"
import { type Section, sections } from "./sections.ts"
import { When } from "./time.tsx"

export interface Who {
  readonly human: string
  readonly role: Role
  readonly account: string
  readonly pausedAt: string | null
  /** Its chains carry no real money. */
  readonly isTest: boolean
}

interface FrameProps {
  readonly who: Who
  readonly section: Section
  /** The page's own path, where it is one of the section's. */
  readonly path?: string
  /** The version of what it shows, from which its script follows it. */
  readonly live?: string | undefined
  readonly children: ComponentChildren
}

/** What the script says; read aloud when it changes. */
export const Said = () => <p id="said" class="said" role="status" />

const Navigation = ({ section }: Pick<FrameProps, "section">) => (
  <nav class="sections" aria-label="Console">
    <a class="brand" href="/console">
      Bursar
    </a>
    {Object.entries(sections).map(([name, { pages, text }]) => (
      <a key={name} href={pages[0][0]} aria-current={name === section ? "true" : undefined}>
        {text}
      </a>
    ))}
  </nav>
)

const Pages = ({ path, section }: Pick<FrameProps, "path" | "section">) => {
  const { pages, text } = sections[section]
  return pages.length < 2 ? null : (
    <nav class="pages" aria-label={text}>
      {pages.map(([href, name]) => (
        <a key={href} href={href} aria-current={href === path ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  )
}

export const Console = ({ children, live, path, section, who }: FrameProps) => (
  <>
    <header class="bar">
      <Navigation section={section} />
      <p class="soft">
        {who.isTest && <strong class="badge">Test mode</strong>} <bdi>{who.human}</bdi>
        {who.role !== "owner" && ` (${who.role})`}, <bdi>{who.account}</bdi>
      </p>
      <button type="button" data-post="/console/sign-out" data-next="/console/login">
        Sign out
      </button>
    </header>
    <main data-live={live}>
      {who.pausedAt !== null && (
        <p class="warning">
          This account is paused since <When at={who.pausedAt} />: no money moves until it is
          resumed, under <a href="/console/settings">Settings</a>.
        </p>
      )}
      <Pages section={section} path={path ?? ""} />
      <OwnRole.Provider value={who.role}>{children}</OwnRole.Provider>
      <Said />
    </main>
  </>
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
