-- What create_payment_request says to PostgreSQL, statement by statement; the bench checks that it still does.
select * from api_key where digest = :digest;
select * from wallet where account_id = :account and id = :vault;
begin;
insert into payment_request (id, pid, account_id, vault_id, chain_id, pay_to_address, reference, amount_micro,
  received_micro, status, settlement_issue, description, external_reference, metadata,
  customer_external_id, customer_namespace, product, checkout_session_id, success_url, cancel_url,
  expires_at, created_at, updated_at, paid_at, tx_hash, method, payer_address)
values (gen_random_uuid(), 'pr_' || gen_random_uuid(), :account, :vault, 'local', decode('03' || substr(:address, 3) || '0000000000', 'hex'),
  null, 49000000, 0, 'open', 'none', 'Pro plan, November', null, '{}', null, null, null, null, null, null,
  now() + interval '30 days', now(), now(), null, null, null, null);
insert into audit_entry (id, account_id, action, actor, subject, told, created_at)
values (gen_random_uuid(), :account, 'payment_request.created', decode('00' || :digest, 'hex'),
  decode('01' || replace(gen_random_uuid()::text, '-', ''), 'hex'),
  decode('1015253b0019' || encode('pr_0123456789abcdefghijkl', 'hex') || '28040402ebae40', 'hex'), now());
commit;
