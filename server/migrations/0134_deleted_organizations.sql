-- migrate:up transaction:false

-- An organization that the operator deletes is suspended for the reason `deleted` at once, and is not read any more, like
-- one that was moved away. Its data is purged from `purge_at` on; the suspension is the last row to be deleted. Every
-- write reads this table, so this is retried as in migration 0032: no writer waits for more than a fraction of a second.
do $$
declare
  tries integer := 0;
begin
  loop
    begin
      set local lock_timeout = '200ms';
      alter table held_organizations
        drop constraint if exists held_organizations_why_check,
        drop constraint if exists held_organizations_purge_at,
        drop column if exists is_gone,
        add column if not exists purge_at timestamptz;
      alter table held_organizations
        add column is_gone boolean not null generated always as (why in ('gone', 'deleted')) stored,
        add constraint held_organizations_why_check
          check (why in ('operator', 'leaving', 'arriving', 'gone', 'deleted')) not valid,
        add constraint held_organizations_purge_at check ((why = 'deleted') = (purge_at is not null)) not valid;
      exit;
    exception when lock_not_available then
      tries := tries + 1;
      if tries = 100 then raise; end if;
    end;
    -- Lets the sessions that wait for this lock continue first.
    commit;
    perform pg_sleep(0.1);
  end loop;
  commit;
  create or replace view standing_holds as
    select coalesce(led_here_since, since) as since,
      why = 'gone' or (why = 'arriving' and led_here_since is null) as is_gone
    from held_organizations where why <> 'deleted';
end $$;

-- migrate:down
