-- migrate:up

-- What the worker can read across organizations: for how long organizations have been suspended, but not which ones;
-- that requires access to the table. While an organization is being migrated to this cell, which may take hours, the
-- source cell still serves it.
create view standing_holds as select since, why in ('arriving', 'gone') as is_gone from held_organizations;

grant create on schema public to reelkeep_sweep;
alter view standing_holds owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on standing_holds to reelkeep_worker;

-- migrate:down
