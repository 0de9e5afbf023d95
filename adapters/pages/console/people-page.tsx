/** The page of an account's people: their roles, and for owners the buttons that change them. */
import { Console, type Who } from "./parts/frame.tsx"
import { Actions } from "./parts/listing.tsx"
import { Signed } from "./parts/signed.tsx"
import { When } from "./parts/time.tsx"

interface Person {
  readonly personId: string
  readonly name: string
  readonly email: string | null
  readonly role: string
  readonly status: string
  readonly createdAt: string
  readonly joinedAt: string | null
  readonly isSelf: boolean
  readonly otherRoles: ReadonlyArray<string>
}

interface PeopleProps {
  readonly who: Who
  readonly people: ReadonlyArray<Person>
  readonly isOwner: boolean
}

const Changes = ({ person: { name, otherRoles, personId } }: { readonly person: Person }) => (
  <p class="choices">
    {otherRoles.map((role) => (
      <Signed
        key={role}
        operation="change_role"
        input={{ personId, role }}
        sure={`Make ${name} ${role === "viewer" ? "a" : "an"} ${role}? You confirm with your passkey.`}
        text={`Make ${role}`}
        of={name}
      />
    ))}
    <Signed
      operation="remove_person"
      input={{ personId }}
      sure={`Remove ${name}? Their sessions end and their passkeys stop working. You confirm with your passkey.`}
      text="Remove"
      of={name}
    />
  </p>
)

export const People = ({ isOwner, people, who }: PeopleProps) => (
  <Console who={who} section="settings" path="/console/people">
    <h1>People</h1>
    <p class="soft">
      A viewer sees everything. An approver also proposes and approves. An owner also decides who
      may act, and changes keys and settings.
    </p>
    <ul class="rows">
      {people.map((person) => (
        <li key={person.personId}>
          <p>
            <strong>
              <bdi>{person.name}</bdi>
            </strong>
            {person.isSelf && " (you)"}, {person.role}
          </p>
          <p class="soft">
            {person.email !== null && (
              <>
                <bdi>{person.email}</bdi>,{" "}
              </>
            )}
            {person.joinedAt === null ? (
              <>
                invited <When at={person.createdAt} />
              </>
            ) : (
              <>
                joined <When at={person.joinedAt} />
              </>
            )}
          </p>
          {isOwner && <Changes person={person} />}
        </li>
      ))}
    </ul>
    {isOwner && (
      <Actions actions={[{ href: "/console/new/invite_person", text: "Invite a person" }]} />
    )}
  </Console>
)
