-- What create_payment_request says to PostgreSQL, statement by statement; the bench checks that it still does.
-- What is kept as bytes is as the service wrote it for a request of its own.
select * from api_key where digest = :digest;
select * from wallet where account_id = :account and id = :vault;
begin;
insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address, reference, amount_micro,
  received_micro, status, settlement_issue, external_reference, said,
  expires_at, created_at, updated_at, paid_at, tx_hash, method, payer_address, was_attempted)
values (gen_random_uuid(), 'pr_' || gen_random_uuid(), :account, :vault, 'local', decode(:address, 'hex'),
  null, 49000000, 0, 'open', 'none', null, decode(:said, 'hex'),
  now() + interval '30 days', now(), now(), null, null, null, null, false);
insert into audit_entry (id, account_id, action, actor, subject, told, created_at)
values (gen_random_uuid(), :account, decode(:action, 'hex'), decode(:actor, 'hex'),
  decode('01' || replace(gen_random_uuid()::text, '-', ''), 'hex'), decode(:told, 'hex'), now());
commit;
