/** The page of co-signers and rules, and of invites to co-sign for others. */
import { Console, type Who } from "./parts/frame.tsx"
import { Actions } from "./parts/listing.tsx"
import { Offered } from "./parts/offered.tsx"
import { type Cell, CellText, Table, type TableProps } from "./parts/table.tsx"
import { Acts } from "./parts/thing-page.tsx"
import { When } from "./parts/time.tsx"

interface Member {
  readonly id: string
  readonly name: string
  readonly cells: ReadonlyArray<Cell>
}

interface Invite {
  readonly inviteId: string
  readonly userId: string
  readonly expiresAt: string
  readonly isPending: boolean
}

interface Sent {
  readonly inviteId: string
  readonly name: string
  readonly cosignerUserId: string
  readonly expiresAt: string
}

interface CosignersProps {
  readonly who: Who
  readonly updatedAt: string | null
  readonly rules: TableProps | { readonly text: string }
  readonly names: ReadonlyArray<string>
  readonly members: ReadonlyArray<Member>
  readonly sent: ReadonlyArray<Sent>
  readonly invites: ReadonlyArray<Invite>
}

const Members = ({ members, names }: Pick<CosignersProps, "members" | "names">) => (
  <section>
    <h2>Co-signers</h2>
    {members.length === 0 && <p class="soft">This account has no co-signers.</p>}
    <ul class="rows">
      {members.map(({ cells, id, name }) => (
        <li key={id}>
          <p>
            {cells.map((cell, at) => (
              <span key={names[at]}>
                <span class="soft">{names[at]}</span> <CellText cell={cell} />{" "}
              </span>
            ))}
          </p>
          <Acts
            acts={[
              {
                text: `Remove ${name}`,
                operation: "remove_cosigner",
                input: { membershipId: id },
                sure: "Ask to remove this co-signer? It then waits for your passkey.",
                next: "/console/governance"
              }
            ]}
          />
        </li>
      ))}
    </ul>
    <Actions actions={[{ href: "/console/new/invite_cosigner", text: "Invite a co-signer" }]} />
  </section>
)

const SentInvites = ({ sent }: Pick<CosignersProps, "sent">) =>
  sent.length === 0 ? null : (
    <section>
      <h2>Invites that wait for an answer</h2>
      <ul class="rows">
        {sent.map(({ cosignerUserId, expiresAt, inviteId, name }) => (
          <li key={inviteId}>
            <p>
              <bdi>{name}</bdi> <code>{cosignerUserId}</code>, until <When at={expiresAt} />
            </p>
            <Acts
              acts={[
                {
                  text: `Withdraw the invite of ${name}`,
                  operation: "revoke_cosigner_invite",
                  input: { inviteId },
                  sure: "Withdraw this invite? It can no longer be accepted."
                }
              ]}
            />
          </li>
        ))}
      </ul>
    </section>
  )

const Invites = ({ invites }: Pick<CosignersProps, "invites">) => (
  <section>
    <h2>Invites to co-sign for others</h2>
    {invites.length === 0 ? (
      <p class="soft">No invites.</p>
    ) : (
      <ul class="rows">
        {invites.map(({ expiresAt, inviteId, isPending, userId }) => (
          <li key={inviteId}>
            <p>
              Account <code>{userId}</code>, until <When at={expiresAt} />
            </p>
            {isPending && (
              <Offered operation="accept_cosigner_invite">
                <p class="choices">
                  <button
                    type="button"
                    data-ask="/console/sign/accept_cosigner_invite/options"
                    data-answer="/console/sign/accept_cosigner_invite/verify"
                    data-input={JSON.stringify({ inviteId })}
                  >
                    Accept<span class="unseen"> the invite of {userId}</span>
                  </button>
                  <button
                    type="button"
                    data-post="/console/do/decline_cosigner_invite"
                    data-input={JSON.stringify({ inviteId })}
                  >
                    Decline<span class="unseen"> the invite of {userId}</span>
                  </button>
                </p>
              </Offered>
            )}
          </li>
        ))}
      </ul>
    )}
  </section>
)

export const Cosigners = (props: CosignersProps) => (
  <Console who={props.who} section="cosigners" path="/console/cosigners">
    <h1>Co-signers and rules</h1>
    <section>
      <h2>Rules</h2>
      <p class="soft">
        An amount within a band waits for that many co-signers; below every band nobody is asked.
        {props.updatedAt !== null && (
          <>
            {" "}
            Changed <When at={props.updatedAt} />.
          </>
        )}
      </p>
      {"names" in props.rules && <Table {...props.rules} />}
      <Actions
        actions={[{ href: "/console/new/update_cosigner_rules", text: "Change the rules" }]}
      />
    </section>
    <Members members={props.members} names={props.names} />
    <SentInvites sent={props.sent} />
    <Invites invites={props.invites} />
  </Console>
)
