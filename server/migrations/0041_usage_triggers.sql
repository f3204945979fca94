-- migrate:up transaction:false

-- Counts the bytes that change from now on. As in 0029, no two tables are locked at once, and an attempt to lock one
-- fails soon and is retried, so that no writer waits for more than a fraction of a second.
do $$
declare
  one record;
  tries integer;
begin
  for one in
    select * from (values
      ('assets', 'inserted', 'insert', 'new.bytes is not null'),
      ('assets', 'updated', 'update of bytes', 'new.bytes is distinct from old.bytes'),
      ('assets', 'deleted', 'delete', 'old.bytes is not null'),
      ('renditions', 'inserted', 'insert', 'new.bytes > 0'),
      ('renditions', 'updated', 'update of bytes', 'new.bytes is distinct from old.bytes'),
      ('renditions', 'deleted', 'delete', 'old.bytes > 0')
    ) as wanted (table_name, name, change, condition)
  loop
    tries := 0;
    loop
      begin
        set local lock_timeout = '200ms';
        execute format(
          'create or replace trigger count_stored_bytes_%s after %s on %I for each row when (%s) '
          'execute function count_stored_bytes()', one.name, one.change, one.table_name, one.condition);
        exit;
      exception when lock_not_available then
        tries := tries + 1;
        if tries = 100 then raise; end if;
      end;
      commit;
      perform pg_sleep(0.1);
    end loop;
    commit;
  end loop;
end $$;

-- migrate:down
