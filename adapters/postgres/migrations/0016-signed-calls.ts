/** Passkeys are asked to sign single calls, too. */

export const statements: ReadonlyArray<string> = [
  "alter table ceremony drop constraint ceremony_purpose_check",
  `alter table ceremony add constraint ceremony_purpose_check check (
    purpose in (
      'enrol', 'login', 'add_passkey', 'approve_proposal', 'sign_governance', 'sign_call'
    )
  )`
]
