-- migrate:up

-- Adds what there was before the triggers existed, to today. One statement sees the rows and their counts at the same
-- moment, so nothing is counted twice, and no writer waits for the scan.
insert into usage_days as days (organization_id, day, slot, stored_bytes, rendition_bytes, assets)
select organization_id, (now() at time zone 'utc')::date, 0,
  sum(stored_bytes), sum(rendition_bytes), sum(assets)
from (
  select organization_id, stored_bytes, 0::bigint as rendition_bytes, 0::bigint as assets from usage_counts
  union all
  select organization_id, 0, bytes, 0 from renditions where bytes > 0
  union all
  select organization_id, 0, 0, asset_count from asset_counts
  union all
  select organization_id, -stored_bytes, -rendition_bytes, -assets from usage_days
) as known
group by organization_id
having sum(stored_bytes) <> 0 or sum(rendition_bytes) <> 0 or sum(assets) <> 0
on conflict (organization_id, day, slot) do update set
  stored_bytes = days.stored_bytes + excluded.stored_bytes,
  rendition_bytes = days.rendition_bytes + excluded.rendition_bytes,
  assets = days.assets + excluded.assets;

-- migrate:down
