-- migrate:up

-- Whose pages may hold the player of this organization's videos in a frame; none: everybody's.
alter table organizations add column embed_origins text[] not null default '{}';

alter table organizations add constraint embed_origins_bound check (cardinality(embed_origins) <= 50) not valid;

-- migrate:down
