-- migrate:up

-- Days after the end of an upload session without a file until its asset is deleted.
alter table organizations
  add column abandoned_days bigint not null default 7
    constraint organizations_abandoned_days_range check (abandoned_days between 0 and 365);

-- The asset of an upload that expired or was cancelled has the status "Cancelled" with an error that says why.
alter table assets drop constraint assets_check;
alter table assets
  add constraint assets_error_matches_status check (
    (error_code is null) = (error_detail is null)
    and (status <> 'Error' or error_code is not null)
    and (error_code is null or status in ('Error', 'Cancelled'))
  ) not valid;

-- migrate:down
