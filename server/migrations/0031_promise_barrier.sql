-- migrate:up transaction:false

-- The write block for enqueued jobs. Most jobs are enqueued together with a write that is refused anyway. A job that is
-- enqueued alone, such as the retry of a failed job, would be acknowledged and then left behind by a migration. The
-- engine itself, which enqueues the next attempt, sets no organization and is not blocked: a migration copies the
-- attempt before it. Jobs are claimed and finished all the time, so this is retried as in migration 0029: no writer
-- waits for more than a fraction of a second.
do $$
declare
  tries integer := 0;
begin
  loop
    begin
      set local lock_timeout = '200ms';
      create or replace trigger refuse_while_held before insert on dbos.workflow_status execute function refuse_while_held();
      exit;
    exception when lock_not_available then
      tries := tries + 1;
      if tries = 100 then raise; end if;
    end;
    -- Lets the sessions that wait for this lock continue first.
    commit;
    perform pg_sleep(0.1);
  end loop;
end $$;

-- migrate:down
