-- migrate:up transaction:false

-- Counts assets and the bytes of renditions from now on. As in 0041, no two tables are locked at once, and an attempt
-- to lock one fails soon and is retried.
do $$
declare
  one record;
  tries integer;
begin
  for one in
    select * from (values
      ('asset_counts', 'count_assets', 'inserted', 'insert', 'new.asset_count <> 0'),
      ('asset_counts', 'count_assets', 'updated', 'update', 'new.asset_count <> old.asset_count'),
      ('renditions', 'count_rendition_bytes', 'inserted', 'insert', 'new.bytes > 0'),
      ('renditions', 'count_rendition_bytes', 'updated', 'update of bytes', 'new.bytes is distinct from old.bytes'),
      ('renditions', 'count_rendition_bytes', 'deleted', 'delete', 'old.bytes > 0')
    ) as wanted (table_name, function_name, name, change, condition)
  loop
    tries := 0;
    loop
      begin
        set local lock_timeout = '200ms';
        execute format(
          'create or replace trigger %I after %s on %I for each row when (%s) execute function %I()',
          one.function_name || '_' || one.name, one.change, one.table_name, one.condition, one.function_name);
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
