/** Passkeys are asked to sign single calls, too. */

export const statements: ReadonlyArray<string> = [
  "alter table passkey_challenge drop constraint passkey_challenge_purpose_check",
  `alter table passkey_challenge add constraint passkey_challenge_purpose_check check (
    purpose in (
      'enrol', 'login', 'add_passkey', 'approve_proposal', 'sign_governance', 'sign_call'
    )
  )`
]
