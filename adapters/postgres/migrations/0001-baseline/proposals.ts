/** Proposals, the caps and ledgers they are judged by, and refunds. What a proposal says is never rewritten. */
import { ofLedgers } from "../../advisory-lock.ts"

/** A ledger whose writes move the sums of days. */
const movingDays = (days: string, ledger: string): ReadonlyArray<string> => [
  `create trigger ${ledger}_begins after insert on ${ledger}
    for each row execute function keep_${days}()`,
  `create trigger ${ledger}_moves after update on ${ledger}
    for each row when (
      (case when old.state = 'released' then 0 else old.amount_micro end, old.day)
        is distinct from
      (case when new.state = 'released' then 0 else new.amount_micro end, new.day)
    ) execute function keep_${days}()`
]

/** Keeps the sum of each day of a ledger: every write to it moves its day by what it changes. */
const keepingDays = (days: string, ledger: string, owner: string): ReadonlyArray<string> => [
  `create function keep_${days}() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' and old.state <> 'released' then
        update ${days} set amount_micro = amount_micro - old.amount_micro
        where ${owner} = old.${owner} and day = old.day;
      end if;
      if new.state <> 'released' then
        insert into ${days} as was (${owner}, day, amount_micro)
        values (new.${owner}, new.day, new.amount_micro)
        on conflict (${owner}, day) do update
          set amount_micro = was.amount_micro + excluded.amount_micro;
      end if;
      return null;
    end
  $$`,
  ...movingDays(days, ledger)
]

const isMore = `new.state = 'reserved' and (old.state = 'released' or new.amount_micro > old.amount_micro)`

/**
 * Holds the sums of an account to the caps that a reservation was judged by. Those who write pass one by one from here to
 * their commit, so what is summed up after that is all there is; whoever was judged by less is judged again.
 */
const holdingToCaps: ReadonlyArray<string> = [
  `create function take_ledgers() returns trigger language plpgsql as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(new.account_id::text, ${ofLedgers}));
      return new;
    end
  $$`,
  `create trigger spend_reservation_opens before insert on spend_reservation
    for each row when (new.state = 'reserved') execute function take_ledgers()`,
  `create trigger spend_reservation_rises before update on spend_reservation
    for each row when (${isMore}) execute function take_ledgers()`,
  `create function hold_to_caps() returns trigger language plpgsql as $$
    begin
      if exists (select from spend_day where account_id = new.account_id and day = new.day
          and amount_micro > new.daily_micro)
        or (select sum(amount_micro) from spend_day where account_id = new.account_id
          and day between new.month || '-01' and new.month || '-31') > new.monthly_micro
      then
        raise exception 'others have used the caps meanwhile'
          using errcode = 'serialization_failure';
      end if;
      return null;
    end
  $$`,
  // By their names they run after those that keep the sums.
  `create trigger spend_reservation_within_caps after insert on spend_reservation
    for each row when (new.state = 'reserved') execute function hold_to_caps()`,
  `create trigger spend_reservation_within_risen_caps after update on spend_reservation
    for each row when (${isMore}) execute function hold_to_caps()`
]

export const statements: ReadonlyArray<string> = [
  `create table policy_revision (
    account_id identifier not null references account (id),
    number integer not null check (number >= 0),
    tier text not null,
    per_transfer_micro bigint not null check (per_transfer_micro >= 0),
    daily_micro bigint not null check (daily_micro >= 0),
    monthly_micro bigint not null check (monthly_micro >= 0),
    hard_cap_micro bigint not null check (hard_cap_micro >= 0),
    created_at timestamptz not null,
    primary key (account_id, number)
  )`,
  `comment on table policy_revision is 'The caps of an account, revision by revision.'`,
  `comment on column policy_revision.per_transfer_micro is 'Millionths of a USD.'`,
  `comment on column policy_revision.daily_micro is 'Millionths of a USD.'`,
  `comment on column policy_revision.monthly_micro is 'Millionths of a USD.'`,
  `comment on column policy_revision.hard_cap_micro is 'Millionths of a USD.'`,
  `create trigger policy_revision_only_grows before update or delete or truncate on policy_revision
    for each statement execute function refuse_change()`,

  `create table proposal_kind (name text primary key)`,
  `comment on table proposal_kind is
    'The kinds a proposal may be of; added to at each start from the registry of the program, never taken from.'`,

  `create table proposal (
    id identifier primary key,
    account_id identifier not null references account (id),
    kind text not null constraint proposal_kind_known references proposal_kind (name),
    status text not null check (
      status in (
        'pending_confirm', 'requires_action', 'executing', 'completed', 'failed', 'rejected',
        'cancelled', 'expired', 'superseded'
      )
    ),
    status_reason text,
    terms jsonb not null check (jsonb_typeof(terms) = 'object'),
    intent_hash text not null check (intent_hash ~ '^[0-9a-f]{64}$'),
    policy_revision integer not null check (policy_revision >= 0),
    summary text not null,
    amount_micro numeric(78,0) check (amount_micro >= 0),
    recipient_id identifier,
    proposed_by text not null,
    call_operation text,
    call_idempotency_key text,
    confirmed_by text,
    tx_hashes text[] not null,
    recovered boolean not null default false,
    outcome text check (outcome in ('executed', 'not_executed', 'partly_executed', 'refunded')),
    result jsonb check (jsonb_typeof(result) = 'object'),
    stop_asked_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    confirmed_at timestamptz,
    takes_passkey boolean not null,
    signed_by identifier,
    expires_at timestamptz not null,
    unique (account_id, id),
    foreign key (account_id, recipient_id) references recipient (account_id, id),
    constraint proposal_outcome_at_the_end check (
      (outcome is not null) =
        (status not in ('pending_confirm', 'requires_action', 'executing'))
      and (outcome is null or (outcome = 'executed') = (status = 'completed'))
    ),
    constraint proposal_call_whole check ((call_operation is null) = (call_idempotency_key is null)),
    constraint proposal_signed_if_asked check (signed_by is null or takes_passkey),
    constraint proposal_never_done_unsigned
      check (status not in ('executing', 'completed') or not takes_passkey or signed_by is not null)
  ) with (fillfactor = 80)`,
  `comment on table proposal is 'Changes that are stored first and confirmed later.'`,
  `comment on column proposal.terms is
    'In the form of its kind. Amounts are decimal strings; their unit is in the name of the field.'`,
  `comment on column proposal.amount_micro is 'Millionths of a USD, of what moves money.'`,
  `comment on column proposal.result is
    'What was sold, bought, given back and paid for; amounts are decimal strings in smallest units.'`,
  `create index proposal_page on proposal (account_id, created_at, id)`,
  `create index proposal_by_status on proposal (account_id, status, created_at, id)`,
  `create index proposal_by_kind on proposal (account_id, kind, created_at, id)`,
  `create index proposal_of_transactions on proposal using gin (tx_hashes)
    where tx_hashes <> '{}'`,
  `create index proposal_expiring on proposal (expires_at, id)
    where status in ('pending_confirm', 'requires_action')`,
  `create index proposal_by_recipient
    on proposal (account_id, recipient_id, created_at, id) where recipient_id is not null`,
  `create index proposal_by_amount on proposal (account_id, amount_micro, created_at, id)
    where amount_micro is not null`,
  `create index proposal_waiting on proposal (account_id, created_at, id)
    where status in ('pending_confirm', 'requires_action')`,
  `create index proposal_waiting_to_refund on proposal (
    account_id,
    (case when kind = 'refund' then coalesce(terms->>'depositId', terms->>'paymentRequestId') end)
  ) where kind = 'refund' and status in ('pending_confirm', 'requires_action')`,
  // What a proposal rests on is held here and not while it is judged. Whoever revokes it ends what was stored before;
  // what comes later is begun again, and refused by what is read then.
  `create function refuse_revoked() returns trigger language plpgsql as $$
    declare is_revoked boolean;
    begin
      -- People have names of another form.
      if new.proposed_by ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then
        select revoked_at is not null into is_revoked from api_key
        where id = new.proposed_by::uuid for share;
      end if;
      if not coalesce(is_revoked, false) and new.recipient_id is not null then
        select status = 'revoked' into is_revoked from recipient
        where id = new.recipient_id for share;
      end if;
      if is_revoked then
        raise exception 'what the proposal rests on was revoked'
          using errcode = 'serialization_failure';
      end if;
      return new;
    end
  $$`,
  `create trigger proposal_rests before insert on proposal
    for each row execute function refuse_revoked()`,
  // Fires only for statements that name one of these columns, so a move costs nothing.
  `create trigger proposal_terms_stand
    before update of id, account_id, kind, terms, intent_hash, amount_micro, recipient_id,
      proposed_by, call_operation, call_idempotency_key on proposal
    for each statement execute function refuse_rewrite()`,

  `create table spend_reservation (
    proposal_id identifier primary key,
    account_id identifier not null,
    amount_micro bigint not null check (amount_micro > 0),
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    month text not null check (month = left(day, 7)),
    daily_micro bigint not null,
    monthly_micro bigint not null,
    state text not null check (state in ('reserved', 'consumed', 'released')),
    reserved_at timestamptz not null,
    foreign key (account_id, proposal_id) references proposal (account_id, id)
  ) with (fillfactor = 80)`,
  `comment on table spend_reservation is 'The ledger of caps: what each started send holds or has used.'`,
  `comment on column spend_reservation.amount_micro is 'Millionths of a USD.'`,
  `comment on column spend_reservation.daily_micro is
    'Millionths of a USD: the cap of its day that it was judged by. The sum of the day is held to it.'`,
  `comment on column spend_reservation.monthly_micro is 'Millionths of a USD: the same of its month.'`,
  // A month is the sum of at most 31 rows, however many sends it had; every write to the ledger keeps them.
  `create table spend_day (
    account_id identifier not null references account (id),
    day text not null,
    amount_micro numeric(78,0) not null check (amount_micro >= 0),
    primary key (account_id, day)
  ) with (fillfactor = 50)`,
  `comment on table spend_day is 'What an account holds or has used of its caps in a day: the sum of its ledger.'`,
  `comment on column spend_day.amount_micro is 'Millionths of a USD.'`,
  ...keepingDays("spend_day", "spend_reservation", "account_id"),
  ...holdingToCaps,

  `create table spend_charge (
    chain_id text not null,
    identity text not null,
    account_id identifier not null references account (id),
    to_key text not null,
    amount_micro bigint not null check (amount_micro > 0),
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    state text not null check (state in ('consumed', 'released')),
    charged_at timestamptz not null,
    primary key (chain_id, identity)
  )`,
  `comment on table spend_charge is 'Payments that a chain has and no record explained: what they count in the ledger of caps, until a proposal takes them over.'`,
  `comment on column spend_charge.amount_micro is 'Millionths of a USD.'`,
  `create index spend_charge_day on spend_charge (account_id, day) where state <> 'released'`,
  ...movingDays("spend_day", "spend_charge"),

  `create table key_reservation (
    proposal_id identifier not null,
    key_id identifier not null references api_key (id),
    account_id identifier not null,
    amount_micro bigint not null check (amount_micro > 0),
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    state text not null check (state in ('reserved', 'consumed', 'released')),
    primary key (proposal_id, key_id),
    foreign key (account_id, proposal_id) references proposal (account_id, id)
  ) with (fillfactor = 80)`,
  `comment on table key_reservation is 'The ledger of the daily caps of keys.'`,
  `comment on column key_reservation.amount_micro is 'Millionths of a USD.'`,
  `create table key_spend_day (
    key_id identifier not null references api_key (id),
    day text not null,
    amount_micro numeric(78,0) not null check (amount_micro >= 0),
    primary key (key_id, day)
  ) with (fillfactor = 50)`,
  `comment on table key_spend_day is
    'What a key holds or has used of its cap in a day: the sum of its ledger.'`,
  `comment on column key_spend_day.amount_micro is 'Millionths of a USD.'`,
  ...keepingDays("key_spend_day", "key_reservation", "key_id"),

  `create table refund_share (
    proposal_id identifier not null,
    transfer_id identifier not null references transfer (id),
    account_id identifier not null,
    amount_micro bigint not null check (amount_micro > 0),
    state text not null check (state in ('claimed', 'refunded', 'released')),
    claimed_at timestamptz not null,
    primary key (proposal_id, transfer_id),
    foreign key (account_id, proposal_id) references proposal (account_id, id)
  ) with (fillfactor = 80)`,
  `comment on table refund_share is 'The ledger of refunds: what of which transfer goes back by which proposal.'`,
  `comment on column refund_share.amount_micro is 'Millionths of a USDC.'`,
  `create index refund_share_standing on refund_share (transfer_id, claimed_at, proposal_id)
    where state <> 'released'`
]
