/**
 * The audit log as a Merkle tree for each account. The database itself sees to it that an entry is given its
 * place once and is otherwise never changed, and that a node, once written, stays.
 */

export const statements: ReadonlyArray<string> = [
  `alter table audit_entry add column "sequence" bigint check ("sequence" >= 0)`,
  `create unique index audit_entry_place on audit_entry (account_id, "sequence")`,
  `create index audit_entry_unplaced on audit_entry (account_id, created_at, id)
    where "sequence" is null`,

  `drop trigger audit_entry_only_grows on audit_entry`,
  `create trigger audit_entry_only_grows before delete or truncate on audit_entry
    for each statement execute function refuse_change()`,
  // Compared as text, so that every column counts, those of later migrations too, and every byte of JSON.
  `create function refuse_all_but_place() returns trigger language plpgsql as $$
    declare
      without_place audit_entry := new;
    begin
      without_place."sequence" := null;
      if old."sequence" is null and new."sequence" is not null
        and without_place::text = old::text
      then
        return new;
      end if;
      raise exception 'audit_entry only grows' using errcode = 'restrict_violation';
    end
  $$`,
  `create trigger audit_entry_keeps_its_words before update on audit_entry
    for each row execute function refuse_all_but_place()`,

  `create table audit_tree (
    account_id identifier primary key references account (id),
    tree_size bigint not null check (tree_size >= 0),
    grew_at timestamptz not null
  )`,

  `create table audit_node (
    account_id identifier not null references account (id),
    level integer not null check (level >= 0),
    "index" bigint not null check ("index" >= 0),
    hash bytea not null check (octet_length(hash) = 32),
    primary key (account_id, level, "index")
  )`,
  `create trigger audit_node_only_grows before update or delete or truncate on audit_node
    for each statement execute function refuse_change()`
]
