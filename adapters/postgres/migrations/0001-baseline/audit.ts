/**
 * The audit log: entries, their places, and the trees over them, all append-only. What waits for its place
 * stands in a queue of its own, so that an entry is written once and never again. Ids are kept as the sixteen bytes
 * that they are, because every change writes here.
 */

export const statements: ReadonlyArray<string> = [
  // The account is held by its tree, and by what the entry tells of.
  `create table audit_entry (
    id uuid primary key,
    account_id uuid not null,
    action bytea not null,
    actor bytea not null,
    subject bytea not null,
    told bytea not null,
    created_at timestamptz not null
  )`,
  `comment on table audit_entry is 'One entry for every committed change: what, by whom, of what.'`,
  `create index audit_entry_page on audit_entry (account_id, created_at)`,
  `comment on column audit_entry.told is
    'The types of actor and subject, and the facts; kept, as are action and ids, as adapters/postgres/terse.ts has it.'`,
  // Eight bytes find the entries of a subject or an actor, where account and id take more than forty.
  `create function named_key(account_id uuid, named bytea) returns bigint
    language sql immutable strict parallel safe
    return hashtextextended(account_id::text || encode(named, 'hex'), 0)`,
  `create index audit_entry_subject on audit_entry (named_key(account_id, subject), created_at)`,
  `create index audit_entry_actor on audit_entry (named_key(account_id, actor), created_at)
    where actor <> '\\x14'`,
  `create trigger audit_entry_only_grows before update or truncate on audit_entry
    for each statement execute function refuse_change()`,

  // Only the trigger below writes here, of the entry it is fired by; nobody else looks that up again.
  `create table audit_waiting (
    account_id uuid not null,
    created_at timestamptz not null,
    entry_id uuid not null
  ) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)`,
  `create index audit_waiting_in_order on audit_waiting (account_id, created_at)`,
  `comment on table audit_waiting is 'Entries that have no place yet, for moments.'`,
  `create function wait_for_place() returns trigger language plpgsql as $$
    begin
      insert into audit_waiting (entry_id, account_id, created_at)
      values (new.id, new.account_id, new.created_at);
      return null;
    end
  $$`,
  `create trigger audit_entry_waits after insert on audit_entry
    for each row execute function wait_for_place()`,

  // Places and nodes are written with the tree, whose row names the account: no other reference is looked up.
  `create table audit_place (
    account_id uuid not null,
    "first" bigint not null check ("first" >= 0),
    "second" timestamptz not null check ("second" = date_trunc('second', "second", 'UTC')),
    entry_ids uuid[] not null check (cardinality(entry_ids) between 1 and 32),
    primary key (account_id, "first")
  )`,
  `comment on table audit_place is
    'The places of entries in their account''s log, from 0 on without a gap; a row has up to 32 that follow each other.'`,
  `comment on column audit_place."first" is 'The place of the first of them.'`,
  `comment on column audit_place."second" is
    'In which all of them were made: by it the place of an entry is found.'`,
  `create index audit_place_by_second on audit_place (account_id, "second")`,
  // An entry waits once, so that one which has its place, or another's, is given none. What waits is read once for all
  // places of a statement: "is true" keeps the planner from asking the one list for each row of the other. A second begins
  // at the same instants in every zone, and to count from one is a third cheaper than to look a zone up for each entry.
  `create function take_places() returns trigger language plpgsql as $$
    declare
      misplaced record;
      taken bigint;
    begin
      select placed."first", coalesce(place.following, 0) as following into misplaced
        from placed left join lateral (
          select "first" + cardinality(entry_ids) as following from audit_place
          where account_id = placed.account_id and "first" < placed."first"
          order by "first" desc limit 1
        ) place on true
        where placed."first" <> coalesce(place.following, 0) limit 1;
      if found then
        raise exception 'the next place is % and not %', misplaced.following, misplaced."first"
          using errcode = 'integrity_constraint_violation';
      end if;
      delete from audit_waiting
        where account_id = (select account_id from placed limit 1)
          and created_at >= (select min("second") from placed)
          and created_at < (select max("second") + interval '1 second' from placed)
          and ((account_id, date_bin('1 second', created_at, 'epoch'), entry_id)
            in (select account_id, "second", unnest(entry_ids) from placed)) is true;
      get diagnostics taken = row_count;
      if taken <> (select sum(cardinality(entry_ids)) from placed) then
        raise exception 'an entry does not wait for its place'
          using errcode = 'integrity_constraint_violation';
      end if;
      return null;
    end
  $$`,
  `create trigger audit_place_takes after insert on audit_place
    referencing new table as placed for each statement execute function take_places()`,
  `create trigger audit_place_only_grows before update or delete or truncate on audit_place
    for each statement execute function refuse_change()`,

  `create table audit_tree (
    account_id identifier primary key references account (id),
    tree_size bigint not null check (tree_size >= 0),
    line bigint not null default 1 check (line > 0),
    grew_at timestamptz not null
  ) with (fillfactor = 50)`,
  `comment on table audit_tree is 'The size of each log''s Merkle tree; its row is the lock of the log.'`,

  `create table audit_node (
    account_id uuid not null,
    "first" bigint not null check ("first" >= 0),
    hashes bytea not null check (
      octet_length(hashes) between 32 and 1024 and octet_length(hashes) % 32 = 0
    ),
    primary key (account_id, "first")
  )`,
  `comment on table audit_node is
    'The nodes of the trees that are complete, in the order in which they became so; a row has up to 32 that follow each other.'`,
  `comment on column audit_node."first" is 'The place of the first of them in that order, from 0 on.'`,
  `create trigger audit_node_only_grows before update or delete or truncate on audit_node
    for each statement execute function refuse_change()`,

  `create table audit_archive (
    account_id uuid not null,
    "first" bigint not null,
    "end" bigint not null check ("end" > "first"),
    "before" timestamptz not null,
    file text not null,
    sha256 bytea not null check (octet_length(sha256) = 32),
    archived_at timestamptz not null,
    primary key (account_id, "first")
  )`,
  `comment on table audit_archive is
    'The files that have the texts of places: from "first" up to, and without, "end", each from where the one before ends.'`,
  `comment on column audit_archive."before" is
    'All of them were made earlier, and it had been over for 90 days when they were archived.'`,
  `create function follow_archive() returns trigger language plpgsql as $$
    declare
      following bigint;
    begin
      select "end" into following from audit_archive
        where account_id = new.account_id order by "first" desc limit 1;
      if new."first" <> coalesce(following, 0) or not exists (
        select from audit_tree
        where account_id = new.account_id and tree_size >= new."end"
      ) then
        raise exception 'an archive goes on from % and ends within the log', coalesce(following, 0)
          using errcode = 'integrity_constraint_violation';
      end if;
      if new.archived_at < new."before" + interval '2160 hours' or exists (
        select from audit_place
        where account_id = new.account_id and "first" < new."end"
          and "first" + cardinality(entry_ids) > new."first" and "second" >= new."before"
      ) then
        raise exception 'the texts of an archive were made before it ends, 90 days ago or earlier'
          using errcode = 'integrity_constraint_violation';
      end if;
      return new;
    end
  $$`,
  `create trigger audit_archive_follows before insert on audit_archive
    for each row execute function follow_archive()`,
  `create trigger audit_archive_only_grows before update or delete or truncate on audit_archive
    for each statement execute function refuse_change()`,
  // An archive begins at or before each of its places: the last that does so is the only one that can have it.
  `create function keep_text() returns trigger language plpgsql as $$
    declare
      place bigint;
    begin
      select "first" + array_position(entry_ids, old.id) - 1 into place from audit_place
        where account_id = old.account_id
          and "second" = date_trunc('second', old.created_at, 'UTC')
          and old.id = any(entry_ids);
      if place is null or place >= coalesce((
        select "end" from audit_archive
        where account_id = old.account_id and "first" <= place
        order by "first" desc limit 1), 0)
      then
        raise exception 'the text of an entry is in no archive' using errcode = 'restrict_violation';
      end if;
      return old;
    end
  $$`,
  `create trigger audit_entry_is_archived before delete on audit_entry
    for each row execute function keep_text()`
]
