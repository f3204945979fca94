-- migrate:up

-- Origins of the pages that may embed the player of this organization's videos; if empty, all pages may.
alter table organizations add column embed_origins text[] not null default '{}';

alter table organizations add constraint embed_origins_bound check (cardinality(embed_origins) <= 50) not valid;

-- migrate:down
