/**
 * The kinds of proposals as rows instead of a check, so that a new kind needs no migration: whoever migrates
 * adds the names of the registry (`migrate.ts`).
 */

export const statements: ReadonlyArray<string> = [
  `create table proposal_kind (name text primary key)`,
  `comment on table proposal_kind is
    'The kinds a proposal may be of; added to at each start from the registry of the program, never taken from.'`,
  `insert into proposal_kind (name) select distinct kind from proposal`,
  `alter table proposal drop constraint proposal_kind_check`,
  `alter table proposal add constraint proposal_kind_known
    foreign key (kind) references proposal_kind (name)`
]
