-- migrate:up

-- Every change of an asset writes the grams of its title again. With a pending list, Postgres writes those of several
-- hundred changes at once. The limit, in kB, bounds what a search reads in addition.
alter index assets_by_gram set (fastupdate = on, gin_pending_list_limit = 256);

-- migrate:down
