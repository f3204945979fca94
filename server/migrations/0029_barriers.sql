-- migrate:up transaction:false

-- Adds the write block to every table of organizations. This takes a lock that waits for current writers of the table
-- and blocks new ones. So each table has its own transaction, which fails soon and is retried: no writer waits for more
-- than a fraction of a second, and no two tables are locked at once, which could cause a deadlock with a request that
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
      -- Lets the sessions that wait for this lock continue first.
      commit;
      perform pg_sleep(0.1);
    end loop;
    commit;
  end loop;
end $$;

-- migrate:down
