/** API keys: a form that makes one with its scopes and caveats, shown once, and the list of those there are. */
import { Console, When, type Who } from "./frame.tsx"

export interface Named {
  readonly id: string
  readonly name: string
  readonly address: string
}

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
  readonly scopes: ReadonlyArray<string>
  readonly wallets: ReadonlyArray<Named>
  readonly recipients: ReadonlyArray<Named>
  readonly keys: ReadonlyArray<ListedKey>
}

interface ChoiceProps {
  readonly field: string
  readonly legend: string
  readonly choices: ReadonlyArray<Named>
}

const Choice = ({ field, legend, choices }: ChoiceProps) => (
  <fieldset>
    <legend>{legend}</legend>
    {choices.map(({ address, id, name }) => (
      <label key={id} class="check">
        <input type="checkbox" name={field} value={id} data-as="list" />
        <span>
          <bdi>{name}</bdi> {address !== "" && <code>{address}</code>}
        </span>
      </label>
    ))}
  </fieldset>
)

const plain = (names: ReadonlyArray<string>) =>
  names.map((name) => ({ id: name, name, address: "" }))

const MakeOne = ({ recipients, scopes, wallets }: KeysProps) => (
  <form
    data-ask="/console/sign/create_api_key/options"
    data-answer="/console/sign/create_api_key/verify"
  >
    <label for="label">What it is for</label>
    <input id="label" name="label" data-as="text" maxLength={64} autoComplete="off" />
    <Choice field="scopes" legend="What it may do" choices={plain(scopes)} />
    <details>
      <summary>Bounds: from where, from which wallets, to whom, how much</summary>
      <label for="ranges">
        Addresses it may be used from, one a line (IP or CIDR); from anywhere when empty
      </label>
      <textarea id="ranges" name="ipRanges" data-as="lines" rows={3} />
      <Choice
        field="walletIds"
        legend="Wallets it may send from; all when none is chosen"
        choices={wallets}
      />
      <Choice
        field="recipientIds"
        legend="Recipients it may pay; all when none is chosen"
        choices={recipients}
      />
      <label for="cap">USDC it may send a day, such as 250.00; no bound when empty</label>
      <input id="cap" name="dailyCapUsd" data-as="text" inputMode="decimal" autoComplete="off" />
      <label for="expires">Last day it works (UTC); never ends when empty</label>
      <input id="expires" name="expiresAt" data-as="day" type="date" />
    </details>
    <button type="submit" class="main">
      Make the key with your passkey
    </button>
    <div id="once" class="once" hidden>
      <p>The key, shown now and never again:</p>
      <code id="secret" />
    </div>
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
    data-sure={`${sure} What was left waiting ends too.`}
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
      sure="Revoke this key? Whatever uses it stops at once."
    >
      Revoke
    </RevokeButton>
  ) : (
    <>
      {listed.stemming.length > 0 && (
        <p class="soft">Made from it and in force: {listed.stemming.join(", ")}</p>
      )}
      <RevokeButton
        listed={listed}
        choice={{ includeDescendants: true }}
        sure="Revoke this key and every key made from it? Whatever uses them stops at once."
      >
        Revoke with all keys made from it
      </RevokeButton>
      <RevokeButton
        listed={listed}
        choice={{ keepDescendants: true }}
        sure="Revoke this key alone? The keys made from it go on."
      >
        Revoke, and keep those
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
      Made <When at={listed.createdAt} />
      {listed.lastUsedAt === null ? ", never used" : ", last used "}
      {listed.lastUsedAt !== null && <When at={listed.lastUsedAt} />}
      {listed.expiresAt !== null && (
        <>
          , ends <When at={listed.expiresAt} />
        </>
      )}
    </p>
    {listed.revokedAt === null ? (
      <Revoking listed={listed} />
    ) : (
      <p>
        Revoked <When at={listed.revokedAt} />
      </p>
    )}
  </li>
)

export const Keys = (props: KeysProps) => (
  <Console who={props.who}>
    <h1>API keys</h1>
    <section>
      <h2>Make a key</h2>
      <MakeOne {...props} />
    </section>
    <section>
      <h2>Keys of this account</h2>
      <ul class="rows">
        {props.keys.map((listed) => (
          <Row key={listed.id} listed={listed} />
        ))}
      </ul>
    </section>
  </Console>
)
