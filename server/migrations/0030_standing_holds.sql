-- migrate:up

-- What the worker may see across organizations: for how long some of them have been held. Not
-- which: that is told to who may read the table. While one is on its way to here, which may take
-- hours, its callers are served where it was.
create view standing_holds as select since, why in ('arriving', 'gone') as is_gone from held_organizations;

grant create on schema public to reelkeep_sweep;
alter view standing_holds owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on standing_holds to reelkeep_worker;

-- migrate:down
