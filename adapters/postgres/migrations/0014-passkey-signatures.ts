/**
 * Which proposals wait for a human's passkey, and who has signed. What takes a passkey neither executes
 * nor completes without its signature, whatever the program says.
 */

export const statements: ReadonlyArray<string> = [
  `alter table proposal
    add column takes_passkey boolean not null default false,
    add column signed_by identifier`,
  `update proposal set takes_passkey = true
    from account
    where account.id = proposal.account_id and account.kind = 'developer'
      and proposal.status = 'requires_action'
      and proposal.kind in ('send', 'token_approve', 'refund', 'approve_recipient')`,
  `alter table proposal add constraint proposal_signed_if_asked
    check (signed_by is null or takes_passkey)`,
  `alter table proposal add constraint proposal_never_done_unsigned
    check (status not in ('executing', 'completed') or not takes_passkey or signed_by is not null)`
]
