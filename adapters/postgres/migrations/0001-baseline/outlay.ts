/**
 * The ledger of what relayers lay out, and its sums, which every write to it moves. None is written that would pass a cap
 * that it was judged by; whoever was judged by less is judged again.
 */
import { ofOutlay } from "../../advisory-lock.ts"

/** Held from the write to the commit, and shared by what is charged to one account. */
const holdingAccounts: ReadonlyArray<string> = [
  `create table outlay_sum (
    account_id identifier not null references account (id),
    day text not null,
    chain_id text not null,
    units numeric(78, 0) not null,
    primary key (account_id, day, chain_id)
  ) with (fillfactor = 70)`,
  `comment on table outlay_sum is 'Sums of the outlay of accounts, by day.'`,
  `comment on column outlay_sum.units is 'At most; in the smallest unit of the coin of the chain.'`,
  `create function move_outlay_sum() returns trigger language plpgsql as $$
    declare used numeric;
    begin
      insert into outlay_sum as was (account_id, day, chain_id, units)
      values (new.account_id, new.day, new.chain_id,
        new.units - case tg_op when 'UPDATE' then old.units else 0 end)
      on conflict (account_id, day, chain_id) do update set units = was.units + excluded.units
      returning units into used;
      if used > new.account_cap_units then
        raise exception 'others have used the cap of the account meanwhile'
          using errcode = 'serialization_failure';
      end if;
      return null;
    end
  $$`,
  `create trigger outlay_charged after insert on outlay
    for each row when (new.account_id is not null) execute function move_outlay_sum()`,
  `create trigger outlay_raised after update of units on outlay
    for each row when (new.account_id is not null) execute function move_outlay_sum()`
]

/** Whoever has to give gives to so many shares at once, so that strangers who come after find one that nobody holds. */
const sharesGiven = 8

/** Each is given this part of what no share has, and so all of them half of it. */
const partGiven = 2 * sharesGiven

/** Told within the function alone: what was waited for is there. */
const isThere = "BUR01"

/**
 * What the installation lays out is charged to shares of its cap, of which nobody holds one for longer than a transaction:
 * strangers take different ones. What they were given is never more than the cap together, and only whoever finds no
 * share with enough left changes that, one by one; where all is given, what is left in the others is taken back first.
 * Whoever waited for another that gave looks for a share again, and lets the lock go with the block that took it.
 */
const holdingInstallation: ReadonlyArray<string> = [
  `create table outlay_share (
    chain_id text not null,
    day text not null,
    number integer not null check (number >= 0),
    units numeric(78, 0) not null check (units >= 0),
    given_units numeric(78, 0) not null,
    cap_units numeric(78, 0),
    primary key (chain_id, day, number),
    constraint outlay_share_within_given check (units <= given_units)
  ) with (fillfactor = 50)`,
  `comment on table outlay_share is
    'Shares of the cap on what the installation lays out in a day. The sum of them is what it has laid out.'`,
  `comment on column outlay_share.units is 'Charged, at most; in the smallest unit of the coin of the chain.'`,
  `comment on column outlay_share.given_units is 'What may be charged to it.'`,
  `comment on column outlay_share.cap_units is
    'The cap of which it was given; nothing that was judged by another is charged to it.'`,
  // For whoever has the lock of the chain and the day.
  `create function give_shares(of_chain text, of_day text, more numeric, cap numeric) returns void
    language plpgsql as $$
    declare
      most integer := case when cap is null then 1 else ${sharesGiven} end;
      given numeric;
      part numeric;
      taken integer[];
    begin
      select coalesce(sum(given_units), 0) into given from outlay_share
      where chain_id = of_chain and day = of_day;
      if given + more > cap then
        -- It waits for whoever charges them now.
        update outlay_share set given_units = units where chain_id = of_chain and day = of_day;
        select coalesce(sum(given_units), 0) into given from outlay_share
        where chain_id = of_chain and day = of_day;
        if given + more > cap then
          raise exception 'others have used the cap of the installation meanwhile'
            using errcode = 'serialization_failure';
        end if;
      end if;

      select array_agg(number) into taken from (
        select number from outlay_share where chain_id = of_chain and day = of_day
        order by number limit most for update skip locked
      ) free;
      if taken is null then
        select array_agg(made + count) into taken from (
          select count(*)::integer from outlay_share where chain_id = of_chain and day = of_day
        ) known, generate_series(0, most - 1) made;
      end if;
      -- Without a cap it is given no more than that.
      part := coalesce(trunc((cap - given - more) / ${partGiven}), 0);
      insert into outlay_share as was (chain_id, day, number, units, given_units, cap_units)
      select of_chain, of_day, number, charged, charged + part, cap from (
        select number, case when number = taken[1] then more else 0 end as charged
        from unnest(taken) as number
      ) given_to
      on conflict (chain_id, day, number) do update set units = was.units + excluded.units,
        given_units = was.given_units + excluded.given_units,
        cap_units = excluded.cap_units;
    end
  $$`,
  `create function charge_share(of_chain text, of_day text, more numeric, cap numeric) returns void
    language plpgsql as $$
    declare
      taken integer;
    begin
      loop
        select number into taken from outlay_share
        where chain_id = of_chain and day = of_day and cap_units = cap and given_units - units >= more
        order by number limit 1 for update skip locked;
        if found then
          update outlay_share set units = units + more
          where chain_id = of_chain and day = of_day and number = taken;
          return;
        end if;

        begin
          perform pg_advisory_xact_lock(hashtextextended(of_chain || ' ' || of_day, ${ofOutlay}));
          perform from outlay_share
          where chain_id = of_chain and day = of_day and cap_units = cap and given_units - units >= more
          limit 1 for update skip locked;
          if found then
            raise exception 'a share was given meanwhile' using errcode = '${isThere}';
          end if;
          perform give_shares(of_chain, of_day, more, cap);
          return;
        exception when sqlstate '${isThere}' then
          -- The lock went with what the block undid.
        end;
      end loop;
    end
  $$`,
  // Once for a statement, and after the sums of accounts: whoever waits for shares has all else that it takes.
  `create function charge_shares() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        perform charge_share(chain_id, day, sum(units), installation_cap_units)
        from written group by chain_id, day, installation_cap_units;
      else
        perform charge_share(chain_id, day, sum(written.units - was.units), written.installation_cap_units)
        from written join was using (chain_id, day, key)
        group by chain_id, day, written.installation_cap_units;
      end if;
      return null;
    end
  $$`,
  `create trigger outlay_shared after insert on outlay referencing new table as written
    for each statement execute function charge_shares()`,
  `create trigger outlay_raise_shared after update on outlay
    referencing old table as was new table as written
    for each statement execute function charge_shares()`
]

export const statements: ReadonlyArray<string> = [
  `create table outlay (
    chain_id text not null,
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    key text not null,
    account_id identifier references account (id),
    units numeric(78, 0) not null check (units > 0),
    account_cap_units numeric(78, 0),
    installation_cap_units numeric(78, 0),
    at timestamptz not null,
    primary key (chain_id, day, key)
  ) with (fillfactor = 80)`,
  `comment on table outlay is 'The ledger of what relayers lay out in the coins of chains.'`,
  `comment on column outlay.units is 'At most; in the smallest unit of the coin of the chain.'`,
  `comment on column outlay.account_cap_units is
    'The cap of its account that it was judged by, if any. The sum of the day is held to it.'`,
  `comment on column outlay.installation_cap_units is 'The same of the installation.'`,
  ...holdingAccounts,
  ...holdingInstallation
]
