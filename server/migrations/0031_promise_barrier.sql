-- migrate:up transaction:false

-- The barrier before promises of jobs. Most are made beside a write that it refuses anyway; what is
-- promised alone, such as a job that failed and is repeated, would be acknowledged and then left
-- behind by a move. The engine itself, which promises the next attempt, says of no organization
-- that it is its own, and passes: a move carries the attempt that it follows from. Jobs are taken
-- and ended all the time, so this is tried as in the step before last: no writer waits for more
-- than a fraction of a second.
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
    -- Whoever waited behind us goes first.
    commit;
    perform pg_sleep(0.1);
  end loop;
end $$;

-- migrate:down
