-- migrate:up transaction:false

-- The barrier before every table of organizations. To put it there takes a lock that waits for
-- whoever writes to the table and lets nobody write meanwhile. So each table has a transaction of
-- its own, which gives up soon and is tried again: no writer waits for more than a fraction of a
-- second, and no two tables are locked at once, which could end in a deadlock with a request that
-- writes to both.
do $$
declare
  one regclass;
  tries integer;
begin
  for one in
    select c.oid::regclass from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and (c.relname = 'organizations' or exists (
        select from pg_attribute a where a.attrelid = c.oid and a.attname = 'organization_id'))
      and c.relname <> 'held_organizations'
      and not exists (select from pg_trigger t where t.tgrelid = c.oid and t.tgname = 'refuse_while_held')
    order by c.relname
  loop
    tries := 0;
    loop
      begin
        set local lock_timeout = '200ms';
        execute format('create trigger refuse_while_held before insert or update or delete on %s execute function refuse_while_held()', one);
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
  end loop;
end $$;

-- migrate:down
