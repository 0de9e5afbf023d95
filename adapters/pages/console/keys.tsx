/** API keys: a form that makes one with its scopes and caveats, shown once, and the list of those there are. */
import { Once } from "./form-page.tsx"
import { Console, type Who } from "./parts/frame.tsx"
import { type FormField, Input } from "./parts/input.tsx"
import { Offered } from "./parts/offered.tsx"
import { When } from "./parts/time.tsx"

export interface ListedKey {
  readonly id: string
  readonly name: string
  readonly label: string | null
  readonly scopes: ReadonlyArray<string>
  readonly bounds: ReadonlyArray<string>
  /** The names of the keys in force that stem from it, as far as they are listed. */
  readonly stemming: ReadonlyArray<string>
  readonly mayHaveMore: boolean
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  readonly revokedAt: string | null
}

export interface KeysProps {
  readonly who: Who
  readonly fields: ReadonlyArray<FormField>
  /** Whether restrictions were said already, as while one is searched for. */
  readonly isBound: boolean
  readonly keys: ReadonlyArray<ListedKey>
  /** Where older keys are. */
  readonly next: string | undefined
}

/** What a key is restricted by, apart from what it may do at all. */
export const bound = ["ipRanges", "walletIds", "recipientIds", "dailyCapUsd", "expiresAt"]

const MakeOne = ({ fields, isBound }: Pick<KeysProps, "fields" | "isBound">) => (
  <form
    method="post"
    data-ask="/console/sign/create_api_key/options"
    data-answer="/console/sign/create_api_key/verify"
  >
    {fields.map((field) => !bound.includes(field.name) && <Input key={field.name} field={field} />)}
    <details open={isBound}>
      <summary>Restrictions: IP addresses, wallets, recipients, daily limit</summary>
      {fields.map(
        (field) => bound.includes(field.name) && <Input key={field.name} field={field} />
      )}
    </details>
    <button type="submit" class="main">
      Create key with your passkey
    </button>
    <Once what="Your API key" />
  </form>
)

interface RevokeProps {
  readonly listed: ListedKey
  readonly choice: Readonly<Record<string, boolean>>
  readonly children: string
  readonly sure: string
}

const RevokeButton = ({ children, choice, listed, sure }: RevokeProps) => (
  <button
    type="button"
    data-post="/console/do/revoke_api_key"
    data-input={JSON.stringify({ keyId: listed.id, ...choice })}
    data-sure={`${sure} Its pending proposals and requests are cancelled too.`}
  >
    {children}
    <span class="unseen"> {listed.name}</span>
  </button>
)

/** A key that others stem from is revoked with them or without them; whoever revokes says which. */
const Revoking = ({ listed }: { readonly listed: ListedKey }) =>
  listed.stemming.length === 0 && !listed.mayHaveMore ? (
    <RevokeButton
      listed={listed}
      choice={{}}
      sure="Revoke this key? Everything that uses it stops working at once."
    >
      Revoke
    </RevokeButton>
  ) : (
    <>
      {listed.stemming.length > 0 && (
        <p class="soft">Active keys created from it: {listed.stemming.join(", ")}</p>
      )}
      <RevokeButton
        listed={listed}
        choice={{ includeDescendants: true }}
        sure="Revoke this key and all keys created from it? Everything that uses them stops working at once."
      >
        Revoke with all keys created from it
      </RevokeButton>
      <RevokeButton
        listed={listed}
        choice={{ keepDescendants: true }}
        sure="Revoke only this key? The keys created from it stay active."
      >
        Revoke only this key
      </RevokeButton>
    </>
  )

const Row = ({ listed }: { readonly listed: ListedKey }) => (
  <li>
    <p>
      <code>{listed.name}</code> {listed.label !== null && <bdi>{listed.label}</bdi>}
    </p>
    <p class="soft">{listed.scopes.join(", ")}</p>
    {listed.bounds.map((bound) => (
      <p key={bound} class="soft">
        {bound}
      </p>
    ))}
    <p class="soft">
      Created <When at={listed.createdAt} />
      {listed.lastUsedAt === null ? ", never used" : ", last used "}
      {listed.lastUsedAt !== null && <When at={listed.lastUsedAt} />}
      {listed.expiresAt !== null && (
        <>
          , expires <When at={listed.expiresAt} />
        </>
      )}
    </p>
    {listed.revokedAt === null ? (
      <Offered operation="revoke_api_key">
        <Revoking listed={listed} />
      </Offered>
    ) : (
      <p>
        Revoked <When at={listed.revokedAt} />
      </p>
    )}
  </li>
)

export const Keys = (props: KeysProps) => (
  <Console who={props.who} section="keys" path="/console/keys">
    <h1>API keys</h1>
    <Offered operation="create_api_key">
      <section>
        <h2>Create API key</h2>
        <MakeOne {...props} />
      </section>
    </Offered>
    <section>
      <h2>Keys of this account</h2>
      <ul class="rows">
        {props.keys.map((listed) => (
          <Row key={listed.id} listed={listed} />
        ))}
      </ul>
      {props.next !== undefined && (
        <p class="actions">
          <a href={props.next}>Older keys</a>
        </p>
      )}
    </section>
  </Console>
)
