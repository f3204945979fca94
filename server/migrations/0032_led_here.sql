-- migrate:up transaction:false

-- Time since which requests for an arriving organization are routed here. From then on, its suspension affects callers
-- and is reported like others. If the migrator dies then, no other cell would report it, because the organization has
-- left its source. Every write reads this table, so this is retried as in the previous migration: no writer waits for
-- more than a fraction of a second.
do $$
declare
  tries integer := 0;
begin
  loop
    begin
      set local lock_timeout = '200ms';
      alter table held_organizations add column if not exists led_here_since timestamptz;
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
    from held_organizations;
end $$;

-- migrate:down
