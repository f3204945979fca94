-- migrate:up transaction:false

-- Since when callers are led here of an organization that arrives: from then on its hold is one that
-- they notice, and it is told like others. If its mover dies then, nobody else would know: it is gone
-- from where it was. Every write looks at this table, so this is tried as in the step before: no
-- writer waits for more than a fraction of a second.
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
    -- Whoever waited behind us goes first.
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
