-- migrate:up

-- Adds what was stored before the triggers existed. One statement sees the rows and their counts at the same moment, so
-- nothing is counted twice, and no writer waits for the scan.
insert into usage_counts as counts (organization_id, month, slot, stored_bytes)
select organization_id, to_char(now() at time zone 'utc', 'YYYY-MM'), 0, sum(bytes)
from (
  select organization_id, bytes from assets where bytes is not null
  union all
  select organization_id, bytes from renditions
  union all
  select organization_id, -stored_bytes from usage_counts
) as stored
group by organization_id having sum(bytes) <> 0
on conflict (organization_id, month, slot) do update set stored_bytes = counts.stored_bytes + excluded.stored_bytes;

-- migrate:down
