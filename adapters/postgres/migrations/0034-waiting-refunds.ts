/** Finds the refunds that wait to send back a deposit or what a request was paid by. */

export const statements: ReadonlyArray<string> = [
  // Only a refund's own terms are read: others may hold text that the database can keep but not take apart.
  `create index proposal_waiting_to_refund on proposal (
    account_id,
    (case when kind = 'refund' then coalesce(terms->>'depositId', terms->>'paymentRequestId') end)
  ) where kind = 'refund' and status in ('pending_confirm', 'requires_action')`
]
