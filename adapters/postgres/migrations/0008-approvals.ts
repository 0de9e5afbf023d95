/**
 * Executions that let a spender take tokens, beside those that send. What an execution does is fixed when
 * it is queued, as to whom and how much; all there were before are sends.
 */

export const statements: ReadonlyArray<string> = [
  `alter table execution add column act text not null default 'transfer'
    check (act in ('transfer', 'permit'))`,
  `drop trigger execution_order_stands on execution`,
  `create trigger execution_order_stands
    before update of proposal_id, account_id, wallet_id, derivation_index, chain_id, act,
      from_address, to_address, amount_micro on execution
    for each statement execute function refuse_rewrite()`,

  `alter table proposal drop constraint proposal_kind_check`,
  `alter table proposal add constraint proposal_kind_check check (
    kind in (
      'send', 'token_approve', 'swap', 'solana_swap', 'bridge', 'refund', 'rename_account',
      'create_account', 'add_recipient', 'approve_recipient'
    )
  )`
]
